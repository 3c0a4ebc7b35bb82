import type { Site } from './sites.ts';

/**
 * Where a reader opens a page: its own address if it has one, otherwise the site's address, if that is
 * known, and the site's way of spelling paths; then the anchor.
 */
export function pageUrl(
  docs: Pick<Site['docs'], 'baseUrl' | 'pathStyle'>,
  page: { path: string; url?: string | undefined },
  anchor = '',
): string {
  const spelled = page.url ?? spell(page.path, docs.pathStyle);
  const isOfSite = spelled.startsWith('/');
  const address = isOfSite ? (docs.baseUrl ?? '') + spelled : spelled;
  if (!anchor) return address;
  const encoded = encodeFragment(anchor);
  if (!address.includes('#')) return `${address}#${encoded}`;
  // A router has the page there, so it asks for the heading as docsify does. Another address with a
  // `#` points into a page already, as operations of an API reference do.
  return isOfSite ? `${address}?id=${encoded}` : address;
}

function spell(path: string, style: Site['docs']['pathStyle']): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (path === '/' || style === undefined || style === 'clean') return encoded;
  return style === 'slash' ? `${encoded}/` : `${encoded}.html`;
}

/** Anchors may hold letters of any script; browsers compare them decoded. */
function encodeFragment(anchor: string): string {
  return encodeURIComponent(anchor);
}
