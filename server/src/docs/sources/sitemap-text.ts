/** Finds the addresses in a sitemap. */
import { decodeXML } from 'entities';
import { replaceBetween } from '../../platform/text.ts';
import { gunzipFile } from '../web/web-client.ts';

/** The protocol (sitemaps.org) limits files to 50 MB. */
export const maxSitemapBytes = 52_428_800;

interface SitemapFile {
  /** As it was sent: many are compressed. */
  file: Uint8Array;
  base: string;
}

export interface Sitemap {
  sitemaps: string[];
  pages: SitemapEntry[];
}

interface SitemapEntry {
  url: string;
  lastmod?: string | undefined;
}

/** Sitemaps are flat, so a scan is enough. Unlike an XML parser, it is safe from document types and entities. */
export function parseSitemap({ file, base }: SitemapFile): Sitemap {
  const text = gunzipFile(Buffer.from(file), maxSitemapBytes).toString('utf8');
  const sitemaps: string[] = [];
  const pages: SitemapEntry[] = [];
  const bare = replaceBetween(text, ['<!--', '-->'], () => '');
  for (const { kind, inner } of elementsIn(bare)) {
    const loc = value(inner, 'loc');
    if (loc === undefined || !URL.canParse(loc, base)) continue;
    const url = new URL(loc, base);
    url.hash = '';
    if (kind === 'sitemap') sitemaps.push(url.href);
    else pages.push({ url: url.href, lastmod: value(inner, 'lastmod') });
  }
  if (sitemaps.length + pages.length === 0 && !bare.trimStart().startsWith('<')) {
    // The protocol also allows plain lists of addresses.
    for (const line of bare.split(/\r?\n/)) {
      if (/^https?:\/\/\S+$/.test(line.trim())) pages.push({ url: new URL(line.trim()).href });
    }
  }
  return { sitemaps, pages };
}

function* elementsIn(text: string): Iterable<{ kind: string; inner: string }> {
  const open = /<(?:\w+:)?(url|sitemap)\b[^<>]*>/g;
  const close = {
    url: /<\/(?:\w+:)?url\s*>/g,
    sitemap: /<\/(?:\w+:)?sitemap\s*>/g,
  };
  for (let found = open.exec(text); found; found = open.exec(text)) {
    const kind = found[1] === 'url' ? 'url' : 'sitemap';
    close[kind].lastIndex = open.lastIndex;
    const end = close[kind].exec(text);
    // An element that isn't closed contains all others.
    if (!end) return;
    yield { kind, inner: text.slice(open.lastIndex, end.index) };
    open.lastIndex = close[kind].lastIndex;
  }
}

function value(inner: string, name: string): string | undefined {
  const open = new RegExp(`<(?:\\w+:)?${name}\\b[^<>]*>`).exec(inner);
  const start = open ? open.index + open[0].length : -1;
  const end = inner.indexOf('</', start);
  const text = (start < 0 || end < 0 ? undefined : inner.slice(start, end))
    ?.replaceAll(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, '$1')
    .trim();
  return text ? decodeXML(text) : undefined;
}
