/** Reads the pages of a website, from its sitemap or by following links. */
import type { SourceOf } from '../../platform/config/docs-config.ts';
import { decodePercent } from '../generators/paths.ts';
import { isWanted, type PageSource, type SourceRun } from './page-source.ts';
import { maxSitemapBytes, type Sitemap } from './sitemap-text.ts';
import { pageAddress } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import { assertRead, type WebClient } from '../web/web-client.ts';
import { DocentError } from '../../platform/errors.ts';
export type OnSite<Source> = Omit<Source, 'type'> & {
  baseUrl?: string | undefined;
  client: WebClient;
};

export function createSitemapSource(options: OnSite<SourceOf<'sitemap'>>): PageSource {
  const { client, url } = options;
  return {
    id: `sitemap ${url}`,
    async read(run) {
      const start = new URL(url);
      client.addStart(start);
      const home = options.baseUrl === undefined ? start : new URL(options.baseUrl);
      const entries = await readSitemap(client, start, run);
      const named = entries.flatMap(({ url: page, lastmod }) => {
        const address = pageAddress(page);
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
export function createCrawlSource(options: OnSite<SourceOf<'crawl'>>): PageSource {
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

const toUrl = (address: string): URL => new URL(address);

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

const maxFiles = 500;

/** Returns every page that a sitemap names. Rejects if a file can't be read, because its pages would be missing. */
async function readSitemap(
  client: WebClient,
  start: URL,
  { parse, signal }: Pick<SourceRun, 'parse' | 'signal'>,
): Promise<Sitemap['pages']> {
  const entries = new Map<string, Sitemap['pages'][number]>();
  const seen = new Set<string>();
  const waiting = [start];
  for (let url = waiting.shift(); url; url = waiting.shift()) {
    if (seen.has(url.href)) continue;
    seen.add(url.href);
    if (seen.size > maxFiles) {
      throw new DocentError('bad_request', `${start.href} has more than ${maxFiles} files.`);
    }
    const { status, body } = await client.get(url, { maxBytes: maxSitemapBytes, signal });
    assertRead(`The sitemap ${url.href}`, status);
    const { sitemaps, pages } = await parse('sitemap', { file: body, base: url.href });
    if (sitemaps.length + pages.length === 0) {
      throw new DocentError('bad_request', `${url.href} is not a sitemap with pages in it.`);
    }
    // A sitemap may only refer to sitemaps of its own site.
    waiting.push(...sitemaps.map(toUrl).filter(({ origin }) => origin === start.origin));
    for (const page of pages) if (!entries.has(page.url)) entries.set(page.url, page);
  }
  return [...entries.values()];
}
