/** Reads the pages of a website, from its sitemap or by following links. */
import { decodePercent } from '../generators/paths.ts';
import { isWanted } from './globs.ts';
import { pageAddress } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import { readSitemap } from '../web/sitemap.ts';
import type { WebClient } from '../web/web-client.ts';
import type { Source } from './source.ts';

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
export function createSitemapSource(options: WebSourceOptions): Source {
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
export function createCrawlSource(options: WebSourceOptions & { maxDepth: number }): Source {
  const { client, url, exclude, include } = options;
  return {
    id: `crawl ${url}`,
    read(run) {
      const start = pageAddress(url) ?? new URL(url);
      client.addStart(start);
      const folder = start.pathname.replace(/[^/]*\.[^/]*$/, '').replace(/\/$/, '');
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
