/** Reads sitemaps and sitemap indexes, compressed or not. */
import { DocentError } from '../../platform/errors.ts';
import { gunzipFile } from './web-body.ts';
import type { WebClient } from './web-client.ts';

export interface SitemapEntry {
  url: URL;
  lastmod?: string | undefined;
}

/** The protocol (sitemaps.org) limits files to 50 MB. */
const maxBytes = 52_428_800;
const maxFiles = 500;

/** Returns every page that a sitemap names. Rejects if a file can't be read, because its pages would be missing. */
export async function readSitemap(
  client: WebClient,
  start: URL,
  signal?: AbortSignal,
): Promise<SitemapEntry[]> {
  const entries = new Map<string, SitemapEntry>();
  const seen = new Set<string>();
  const waiting = [start];
  for (let url = waiting.shift(); url; url = waiting.shift()) {
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    if (seen.size > maxFiles) {
      throw new DocentError('bad_request', `${start.href} has more than ${maxFiles} files.`);
    }
    const { status, body } = await client.get(url, { maxBytes, signal });
    if (status !== 200) {
      const code = status === 429 || status >= 500 ? 'unavailable' : 'bad_request';
      throw new DocentError(
        code,
        `The sitemap ${url.href} could not be read: it answered ${status}.`,
      );
    }
    const { sitemaps, pages } = parseSitemap(gunzipFile(body, maxBytes).toString('utf8'), url);
    if (sitemaps.length + pages.length === 0) {
      throw new DocentError('bad_request', `${url.href} is not a sitemap with pages in it.`);
    }
    // A sitemap may only refer to sitemaps of its own site.
    waiting.push(...sitemaps.filter(({ origin }) => origin === start.origin));
    for (const page of pages) if (!entries.has(page.url.href)) entries.set(page.url.href, page);
  }
  return [...entries.values()];
}

/** Sitemaps are flat, so a scan is enough. Unlike an XML parser, it is safe from document types and entities. */
export function parseSitemap(text: string, base: URL): { sitemaps: URL[]; pages: SitemapEntry[] } {
  const sitemaps: URL[] = [];
  const pages: SitemapEntry[] = [];
  const bare = text.replaceAll(/<!--[\s\S]*?-->/g, '');
  for (const [, kind, inner = ''] of bare.matchAll(
    /<(?:\w+:)?(url|sitemap)\b[^>]*>([\s\S]*?)<\/(?:\w+:)?\1\s*>/g,
  )) {
    const loc = value(inner, 'loc');
    if (loc === undefined || !URL.canParse(loc, base.href)) continue;
    const url = new URL(loc, base);
    url.hash = '';
    if (kind === 'sitemap') sitemaps.push(url);
    else pages.push({ url, lastmod: value(inner, 'lastmod') });
  }
  if (sitemaps.length + pages.length === 0 && !bare.trimStart().startsWith('<')) {
    // The protocol also allows plain lists of addresses.
    for (const line of bare.split(/\r?\n/)) {
      if (/^https?:\/\/\S+$/.test(line.trim())) pages.push({ url: new URL(line.trim()) });
    }
  }
  return { sitemaps, pages };
}

function value(inner: string, name: string): string | undefined {
  const found = new RegExp(`<(?:\\w+:)?${name}\\b[^>]*>([\\s\\S]*?)</`).exec(inner)?.[1];
  const text = found
    ?.replaceAll(/<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)/g, '$1')
    .replaceAll(/&(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/gi, (_, name: string) => entity(name))
    .trim();
  return text === '' ? undefined : text;
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function entity(name: string): string {
  if (!name.startsWith('#')) return entities[name.toLowerCase()] ?? '';
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}
