/** Reads an HTML page with its address. */
import type { Page } from '../../retrieval/retriever.ts';
import { readHtmlPage } from './html/read-html-page.ts';
import { type AddressOptions, createLinkOf, pageAddress, pathOfUrl } from './page-address.ts';

interface WebText extends AddressOptions {
  html: string;
  url: string;
}

export interface WebPage {
  /** Links as written, without those marked `nofollow`. */
  links: string[];
  /** `noindex`, `nofollow`, and others from meta tags, in lower case. */
  robots: Set<string>;
  /** The address that the page gives itself. */
  canonical: string;
  /** `undefined`: it has no text, for example because a script creates it. */
  page: Omit<Page, 'hash'> | undefined;
}

export function readWebPage({ html, url: address, ...options }: WebText): WebPage {
  const url = new URL(address);
  const read = readHtmlPage(html);
  const { links, robots } = read;
  const canonical = canonicalOf(url, read.canonical, options);
  const path = pathOfUrl(canonical, options);
  const linkOf = createLinkOf(url, options);
  const page = read.isEmpty ? undefined : read.toPage({ path, url: canonical.href, linkOf });
  return { links, robots, canonical: canonical.href, page };
}

/** Returns the canonical address if it is on the site. An address that all pages share is a mistake. */
function canonicalOf(
  url: URL,
  href: string | undefined,
  { baseUrl }: Pick<AddressOptions, 'baseUrl'>,
): URL {
  const canonical = href === undefined ? undefined : pageAddress(href, url);
  if (!canonical || (canonical.pathname === '/' && url.pathname !== '/')) return url;
  const base = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
  return canonical.origin === url.origin || canonical.origin === base ? canonical : url;
}
