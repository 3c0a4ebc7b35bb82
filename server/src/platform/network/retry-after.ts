type HeaderRecord = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/**
 * The pause that a server asks for, in milliseconds; `undefined` when it asks for none. `Retry-After`
 * holds seconds or an HTTP date (RFC 9110, 10.2.3); some model providers also send `retry-after-ms`.
 */
export function retryAfterMs(
  headers: Headers | HeaderRecord | undefined,
  now = Date.now(),
): number | undefined {
  const read = (name: string) => {
    const value = headers instanceof Headers ? headers.get(name) : headers?.[name];
    return (Array.isArray(value) ? value.join() : String(value ?? '')).trim();
  };
  const exact = read('retry-after-ms');
  if (isDecimal.test(exact)) return Number(exact);
  const value = read('retry-after');
  if (isDecimal.test(value)) return Number(value) * 1000;
  if (!isDate.test(value)) return undefined;
  const date = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const isDecimal = /^\d{1,9}(\.\d{1,9})?$/;
/** `Sun, 06 Nov 1994 08:49:37 GMT`, and the two obsolete forms that begin with a day as well. */
const isDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;
