/** Reads the pages of a website, from its sitemap or by following links. */
import { replaceBetween } from '../../platform/text.ts';
import { decodePercent } from '../generators/paths.ts';
import { isWanted, type PageSource } from './page-source.ts';
import { pageAddress } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import { assertRead, gunzipFile, type WebClient } from '../web/web-client.ts';
import { DocentError } from '../../platform/errors.ts';

export interface WebSourceOptions {
  url: string;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  maxPages: number;
  respectRobots: boolean;
  baseUrl?: string | undefined;
  /** Added before the paths of the pages. */
  basePath?: string | undefined;
  client: WebClient;
}

/** Reads all pages that the sitemap lists. */
export function createSitemapSource(options: WebSourceOptions): PageSource {
  const { client, url } = options;
  return {
    id: `sitemap ${url}`,
    async read(run) {
      const start = new URL(url);
      client.addStart(start);
      const home = options.baseUrl === undefined ? start : new URL(options.baseUrl);
      const entries = await readSitemap(client, start, run.signal);
      const named = entries.flatMap(({ url: page, lastmod }) => {
        const address = pageAddress(page.href);
        return address ? [{ url: address, lastmod }] : [];
      });
      const own = named.filter(({ url: page }) =>
        [start.origin, home.origin].includes(page.origin),
      );
      const { origin } = own[0]?.url ?? start;
      const here = own.filter(({ url: page }) => page.origin === origin);
      if (here.length < named.length) {
        const foreign = named.find(({ url: page }) => page.origin !== origin)?.url.href ?? '';
        run.onWarning(
          `${url}: ${named.length - here.length} pages were left out, because they belong to another site, such as ${foreign}.`,
        );
      }
      const mayRead = (page: URL) =>
        page.origin === origin && isPage(page) && isWanted(below(page), options);
      return readSite(
        {
          ...options,
          name: url,
          start: here,
          isInScope: mayRead,
          isWanted: mayRead,
          maxDepth: 0,
        },
        run,
      );
    },
  };
}

/** Follows links from a start page, below the folder of the start page. */
export function createCrawlSource(options: WebSourceOptions & { maxDepth: number }): PageSource {
  const { client, url, exclude, include } = options;
  return {
    id: `crawl ${url}`,
    read(run) {
      const start = pageAddress(url) ?? new URL(url);
      client.addStart(start);
      const folder = folderOf(start.pathname);
      const isBelow = ({ pathname }: URL) =>
        pathname === folder || pathname.startsWith(`${folder}/`);
      const isInScope = (page: URL) =>
        page.origin === start.origin &&
        isBelow(page) &&
        isPage(page) &&
        (page.href === start.href || isWanted(below(page), { exclude }));
      return readSite(
        {
          ...options,
          name: url,
          start: [{ url: start }],
          isInScope,
          isWanted: (page) => isWanted(below(page), { include, exclude }),
        },
        run,
      );
    },
  };
}

/** The folder of a start page: `/docs/` and `/docs/index.html` are in `/docs`. */
function folderOf(pathname: string): string {
  const last = pathname.lastIndexOf('/') + 1;
  const folder = pathname.includes('.', last) ? pathname.slice(0, last) : pathname;
  return folder.replace(/\/$/, '');
}

const below = ({ pathname }: URL): string => decodePercent(pathname).slice(1);

/** Pictures, archives, feeds, and programs are not requested. Their names show what they are. */
function isPage({ pathname }: URL): boolean {
  const ending = /\.([a-z][a-z0-9]{0,5})$/i.exec(pathname)?.[1]?.toLowerCase();
  return ending === undefined || !otherEndings.has(ending);
}

const otherEndings = new Set(
  'png jpg jpeg gif svg webp avif ico bmp pdf zip gz tgz tar bz2 xz rar dmg exe msi deb rpm apk whl jar css js mjs map json xml rss atom txt csv tsv xlsx docx pptx yaml yml toml woff woff2 ttf otf eot mp3 mp4 webm ogg wav mov wasm bin iso ipynb'.split(
    ' ',
  ),
);

interface SitemapEntry {
  url: URL;
  lastmod?: string | undefined;
}

/** The protocol (sitemaps.org) limits files to 50 MB. */
const maxBytes = 52_428_800;
const maxFiles = 500;

/** Returns every page that a sitemap names. Rejects if a file can't be read, because its pages would be missing. */
async function readSitemap(
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
    assertRead(`The sitemap ${url.href}`, status);
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
function parseSitemap(text: string, base: URL): { sitemaps: URL[]; pages: SitemapEntry[] } {
  const sitemaps: URL[] = [];
  const pages: SitemapEntry[] = [];
  const bare = replaceBetween(text, ['<!--', '-->'], () => '');
  for (const { kind, inner } of elementsIn(bare)) {
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
