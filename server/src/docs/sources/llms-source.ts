import { createHash } from 'node:crypto';
import { DocentError } from '../../platform/errors.ts';
import { isWanted } from './globs.ts';
import { hashPage, readPage } from '../pages/read-page.ts';
import { type LlmsPage, parseLlmsFull, parseLlmsLinks } from '../web/llms.ts';
import { pathOfUrl, readersUrl } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import type { SourcePage, SourceResult, SourceRun } from './source.ts';
import type { Source } from './source.ts';
import type { WebSourceOptions } from './web-sources.ts';

/** The largest files contain a whole documentation. */
const maxBytes = 50_000_000;

interface Kept {
  etag?: string | undefined;
  lastModified?: string | undefined;
  pages: { path: string; hash: string }[];
}

/** Reads an `llms.txt` and the pages it links to, or an `llms-full.txt`, which contains the pages. */
export function createLlmsSource(options: WebSourceOptions): Source {
  const { client, url } = options;
  return {
    id: `llms ${url}`,
    async read(run) {
      const start = new URL(url);
      client.addStart(start);
      if (/full/i.test(start.pathname)) return readFull(start, options, run);
      const { status, body } = await client.get(start, { maxBytes, signal: run.signal });
      checkStatus(url, status);
      const home = options.baseUrl === undefined ? start.origin : new URL(options.baseUrl).origin;
      const links = parseLlmsLinks(body.toString('utf8'), start);
      const own = links.filter((link) => [start.origin, home].includes(link.url.origin));
      const { origin } = own[0]?.url ?? start;
      const mayRead = (page: URL) =>
        page.origin === origin && isWanted(decodeURI(page.pathname).slice(1), options);
      const wanted = own.filter((link) => mayRead(link.url));
      if (wanted.length === 0) {
        throw new DocentError('bad_request', `${url} links to no page of its own site.`);
      }
      return readSite(
        {
          ...options,
          name: url,
          start: wanted,
          isInScope: mayRead,
          isWanted: mayRead,
          maxDepth: 0,
        },
        run,
      );
    },
  };
}

async function readFull(
  start: URL,
  options: WebSourceOptions,
  run: SourceRun,
): Promise<SourceResult> {
  const kept = run.kept as Partial<Kept> | undefined;
  const isHeld =
    kept?.pages !== undefined && kept.pages.every(({ path, hash }) => run.isHeld(path, hash));
  const headers = {
    ...(isHeld && kept.etag !== undefined && { 'If-None-Match': kept.etag }),
    ...(isHeld && kept.lastModified !== undefined && { 'If-Modified-Since': kept.lastModified }),
  };
  const response = await options.client.get(start, { headers, maxBytes, signal: run.signal });
  if (response.status === 304 && kept?.pages) {
    const unread = () => Promise.reject(new Error(`${start.href} was not read again.`));
    return {
      pages: kept.pages.map((page) => ({ ...page, from: start.href, read: unread })),
      keep: kept,
    };
  }
  checkStatus(start.href, response.status);
  const pages = parseLlmsFull(response.body.toString('utf8'), start)
    .map((page) => toSourcePage(page, start, options, run))
    .filter(({ path }) => isWanted(path.slice(1), options))
    .slice(0, options.maxPages);
  if (pages.length === 0) {
    throw new DocentError('bad_request', `There is no page for readers in ${start.href}.`);
  }
  if (!run.acceptFewer && pages.length * 2 < (kept?.pages?.length ?? 0)) {
    throw new DocentError(
      'unavailable',
      `${start.href} has only ${pages.length} pages where it had ${kept?.pages?.length}, so its pages stay as they were. If that is right, run \`docent index --accept-fewer\`.`,
    );
  }
  const { etag, 'last-modified': lastModified } = response.headers;
  const keep: Kept = { etag, lastModified, pages: pages.map(({ path, hash }) => ({ path, hash })) };
  return { pages, keep };
}

function toSourcePage(
  { title, url, slug, markdown }: LlmsPage,
  start: URL,
  options: WebSourceOptions,
  run: SourceRun,
): SourcePage {
  // A page without an address is cited by the address of the file.
  const shown = url ? readersUrl(url) : start;
  const path = url ? pathOfUrl(shown, options) : `${options.basePath ?? ''}/${slug}`;
  const file = url ? decodeURI(url.pathname).replace(/^\/+/, '') : `${slug}.md`;
  const input = {
    file,
    source: markdown,
    path,
    onWarning: run.onWarning,
    ...(title !== undefined && { title }),
  };
  const hash = createHash('sha256').update(hashPage(input)).update(shown.href).digest('hex');
  // The fragment makes the citations of different pages differ. The file itself has no anchors.
  const address = url ? shown.href : `${start.href}#${slug}`;
  return {
    path,
    hash,
    from: shown.href,
    read: () => ({ ...readPage(input), url: address }),
  };
}

function checkStatus(url: string, status: number): void {
  if (status === 200) return;
  const code = status === 429 || status >= 500 ? 'unavailable' : 'bad_request';
  throw new DocentError(code, `${url} could not be read: it answered ${status}.`);
}
