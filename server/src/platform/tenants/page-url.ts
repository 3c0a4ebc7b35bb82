import type { Site } from './sites.ts';

/**
 * The address of a page for readers: its own if it has one, otherwise the site's address, if it's known,
 * and the path as the site spells it; then the anchor.
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
  // Anchors may contain letters of any script. Browsers compare them decoded.
  const encoded = encodeURIComponent(anchor);
  if (!address.includes('#')) return `${address}#${encoded}`;
  // The `#` of a site's path belongs to a router, and the heading is a parameter, as in docsify. Any
  // other address with a `#` points into a page already, such as an operation of an API reference.
  return isOfSite ? `${address}?id=${encoded}` : address;
}

function spell(path: string, style: Site['docs']['pathStyle']): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (path === '/' || style === undefined || style === 'clean') return encoded;
  return style === 'slash' ? `${encoded}/` : `${encoded}.html`;
}
