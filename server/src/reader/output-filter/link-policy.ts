/**
 * Which addresses in an answer may become links. The model has read untrusted text, so an address may
 * send the conversation to somebody else. Only the site itself, the hosts that its owner allows, and
 * addresses that appear in the passages word for word become links.
 */
import type { Site } from '../../platform/tenants/sites.ts';

export type LinkPolicy = ReturnType<typeof createLinkPolicy>;

/** The site settings that decide about links. */
export type LinkSite = Pick<Site, 'allowedLinkHosts' | 'allowedImageHosts'> & {
  docs: Pick<Site['docs'], 'baseUrl'>;
};

/** Base for relative addresses if the site has no base URL. No such host exists (RFC 6761). */
const nowhere = 'https://site.invalid';

const maxAddressLength = 2_000;

export function createLinkPolicy(
  site: LinkSite,
  passages: readonly { markdown: string }[],
  sourceUrls: readonly string[] = [],
) {
  const base = new URL(site.docs.baseUrl ?? nowhere);
  let quoted: { urls: Set<string>; mails: Set<string> } | undefined;
  // Most answers contain no address, so the passages are only read when the first one comes.
  const known = () => (quoted ??= addressesIn(passages, sourceUrls, base));

  function resolve(address: string): { url: URL; isRelative: boolean } | undefined {
    const text = unescape(address.trim());
    // Browsers read a backslash as a slash, and drop whitespace and control characters.
    if (text === undefined || text === '' || text.length > maxAddressLength) return undefined;
    // oxlint-disable-next-line no-control-regex -- these are the characters to refuse
    if (/[\u0000-\u0020\u007f\\\u00ad\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/.test(text)) {
      return undefined;
    }
    const isAbsolute = /^https?:\/\/[^/?#@]/i.test(text);
    const isRelative = !isAbsolute && !/^[^/?#]*:/.test(text) && !text.startsWith('//');
    if (!isAbsolute && !isRelative) return undefined;
    const url = URL.parse(text, base.href);
    if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
    if (url.username !== '' || url.password !== '') return undefined;
    return { url, isRelative };
  }

  function allowed(address: string, hosts: readonly string[], areQuotedAllowed: boolean) {
    const found = resolve(address);
    if (!found) return undefined;
    const { url, isRelative } = found;
    const isAllowed =
      url.host === base.host ||
      hosts.some((host) => isHost(url.host, host)) ||
      (areQuotedAllowed && known().urls.has(url.href));
    if (!isAllowed) return undefined;
    // Relative addresses stay relative: the page that shows the answer resolves them.
    return spell(isRelative ? address.trim() : url.href);
  }

  return {
    /** The address to write in a link, or `undefined` if there must be none. */
    link: (address: string) => allowed(address, site.allowedLinkHosts, true),
    /** The same for an image, which a browser requests without a click. */
    picture: (address: string) => allowed(address, site.allowedImageHosts, false),
    /** Whether a mail address may become a link. */
    isMail(address: string): boolean {
      const mail = address.toLowerCase();
      const host = mail.slice(mail.lastIndexOf('@') + 1);
      return host === base.hostname || known().mails.has(mail);
    },
  };
}

/** `example.com`, or `*.example.com` for every host below it. */
function isHost(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** Resolves Markdown escapes and `&amp;`. Refuses any other entity. */
function unescape(address: string): string | undefined {
  const text = address
    .replace(/\\([!"#$%&'()*+,\-./:;<=>?@[\]^_`{|}~])/g, '$1')
    .replaceAll('&amp;', '&');
  return /&#?\w{1,32};/.test(text) ? undefined : text;
}

/** Percent-encodes the characters that mean something in Markdown or HTML. */
function spell(address: string): string {
  return address.replace(
    /[()<>[\]{}|\\^`"'*\s]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** All addresses in the passages: in links, in prose, and in code. */
function addressesIn(
  passages: readonly { markdown: string }[],
  sourceUrls: readonly string[],
  base: URL,
) {
  const urls = new Set<string>();
  const mails = new Set<string>();
  const add = (address: string) => {
    const url = URL.parse(address, base.href);
    if (url) urls.add(url.href);
  };
  for (const url of sourceUrls) add(url);
  for (const { markdown } of passages) {
    for (const [address] of markdown.matchAll(/https?:\/\/[^\s<>"'`|\\]+/gi)) {
      add(address);
      add(trimEnd(address));
      // `[text](https://… "title")` and `(see https://…)`.
      add(address.split(/[)\]]/, 1)[0] ?? '');
    }
    for (const [mail] of markdown.matchAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}/g)) {
      mails.add(trimEnd(mail).toLowerCase());
    }
  }
  return { urls, mails };
}

/** Without trailing punctuation, which belongs to the sentence. */
export function trimEnd(address: string): string {
  let end = address.length;
  // A bracket that the address opens belongs to it.
  let unopened = address.split(')').length - address.split('(').length;
  for (; end > 0; end--) {
    const sign = address[end - 1] ?? '';
    if (sign === ')') {
      if (unopened <= 0) break;
      unopened--;
    } else if (!/[.,;:!?*_~\]}'"]/.test(sign)) break;
  }
  return address.slice(0, end);
}
