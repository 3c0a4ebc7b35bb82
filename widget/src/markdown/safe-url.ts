/** Which addresses of an answer may become live. Everything else stays text. */
const schemes = new Set(['http:', 'https:', 'mailto:']);

/**
 * What relative addresses are of: the page itself, as its documentation is there. A `<base>` may lead
 * to another host; only a page without an address of its own, such as `about:srcdoc`, has no better.
 */
const base = (): string => (location.protocol === 'about:' ? document.baseURI : location.href);

/** The absolute address, or `undefined` where it must not be a link. */
export function safeUrl(href: string): string | undefined {
  try {
    // `URL` reads it as the browser will: it drops tabs and line ends, and knows every notation.
    const url = new URL(href, base());
    return schemes.has(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** A picture is a request: one from elsewhere would tell its server what was asked, and who asked. */
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
