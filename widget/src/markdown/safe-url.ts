/** Which addresses of an answer become links. */
const schemes = new Set(['http:', 'https:', 'mailto:']);

/** The base of relative addresses: the page itself, because `<base>` may lead to another host. */
const base = (): string => (location.protocol === 'about:' ? document.baseURI : location.href);

/** The absolute address, or `undefined` if it must not be a link. */
export function safeUrl(href: string): string | undefined {
  try {
    // `URL` parses as the browser does.
    const url = new URL(href, base());
    return schemes.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A request for a picture elsewhere would tell its server about the reader. */
export function safePicture(href: string): string | undefined {
  const url = safeUrl(href);
  return url && new URL(url).origin === location.origin ? url : undefined;
}

export function isSameSite(url: string): boolean {
  try {
    return new URL(url, base()).origin === location.origin;
  } catch {
    return false;
  }
}
