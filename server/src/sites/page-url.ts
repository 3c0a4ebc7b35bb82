import type { Site } from './sites.ts';

/** Where a reader opens a page: the site's address if it is known, the site's way of spelling paths, the anchor. */
export function pageUrl(docs: Site['docs'], path: string, anchor = ''): string {
  return (
    (docs.baseUrl ?? '') + spell(path, docs.pathStyle) + (anchor && `#${encodeFragment(anchor)}`)
  );
}

function spell(path: string, style: Site['docs']['pathStyle']): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  if (path === '/' || style === 'clean') return encoded;
  return style === 'slash' ? `${encoded}/` : `${encoded}.html`;
}

/** Anchors may hold letters of any script; browsers compare them decoded. */
function encodeFragment(anchor: string): string {
  return encodeURIComponent(anchor);
}
