/** Which hosts a text names, in all the ways in which a browser would still go there. */
import { decodeHTML } from 'entities';

const inAddress = '[^\\s"\'`<>()\\[\\]{}|^]';
/** `https://x`, and what browsers take for it: `https:x`, `https:\\x`. */
const absolute = new RegExp(
  `(?<![a-z0-9+.-])(?:https?|wss?|ftps?):[\\\\/]*(${inAddress}{1,300})`,
  'gi',
);
/** `//x` where an address may stand. */
const relative = new RegExp(
  `(?<=[("'=<>]|\\]:[ \\t]{0,5}|url\\([ ]{0,3})[\\\\/]{2,}([a-z0-9]${inAddress}{1,300})`,
  'gi',
);
const written = new RegExp(`(?<![a-z0-9.@/-])www\\.${inAddress}{1,300}`, 'gi');
const mail = /mailto:[^\s"'<>()@]{0,100}@([a-z0-9.-]{1,253})/gi;

/** Nobody's: names that stand for the reader's own machine, and the ones kept for examples. */
const nobodys =
  /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|(?:.*\.)?example\.(?:com|net|org))$/;

export function hostsIn(text: string): Set<string> {
  const found = new Set<string>();
  if (!/[:/\\&.]/.test(text)) return found;
  // Browsers leave out tabs and line breaks within an address, and so do invisible letters.
  const decoded = (text.includes('&') ? decodeHTML(text) : text).replace(
    /[\u00ad\u200b-\u200d\u2060\ufeff]/g,
    '',
  );
  for (const [, rest] of decoded.matchAll(absolute)) add(rest);
  for (const [, rest] of decoded.matchAll(relative)) add(rest);
  for (const [rest] of decoded.matchAll(written)) add(rest);
  for (const [, host] of decoded.matchAll(mail)) add(host);
  return found;

  function add(rest: string | undefined): void {
    const host = rest === undefined ? undefined : hostOf(rest);
    if (host !== undefined && !nobodys.test(host)) found.add(host);
  }
}

/** Without `www.`: it is the same owner. */
function hostOf(rest: string): string | undefined {
  const clean = rest.replace(/^[\\/]+/, '').replace(/[.,;:!?*_~\\]+$/, '');
  const url = URL.canParse(`http://${clean}`) ? new URL(`http://${clean}`) : undefined;
  const host = (url?.hostname ?? /^[^/?#:@]+/.exec(clean)?.[0] ?? '')
    .toLowerCase()
    .replace(/\.+$/, '')
    .replace(/^www\./, '');
  return host.includes('.') || host.startsWith('[') ? host : undefined;
}

/** Whether a list such as `acme.com`, `*.acme.com` has it. */
export function isListedHost(host: string, list: readonly string[]): boolean {
  return list.some((one) =>
    one.startsWith('*.')
      ? host.endsWith(one.slice(1)) || host === one.slice(2)
      : host === one.replace(/^www\./, ''),
  );
}
