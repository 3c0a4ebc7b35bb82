/** Sources that are one document with several pages in it: OpenAPI and `llms.txt`. */
import { sha256 } from '../../platform/hash.ts';
import type { SourceOf } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import {
  isWanted,
  type KnownPage,
  type PageSource,
  readMarkdown,
  type SourcePage,
  type SourceResult,
  type SourceRun,
  toKnownPage,
  unchangedPage,
  unreadablePage,
} from './page-source.ts';
import { decodePercent, joinFile } from '../generators/paths.ts';
import { hashPage } from '../pages/page-hash.ts';
import type { LlmsPage } from './llms-text.ts';
import { pathOfUrl, readersUrl } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import type { OnSite } from './web-sources.ts';
import { assertRead, type WebClient } from '../web/web-client.ts';
import { readFile } from 'node:fs/promises';
import type { OperationText } from './openapi/operations.ts';

interface Kept {
  etag?: string | undefined;
  lastModified?: string | undefined;
  pages: KnownPage[];
}

interface DocumentText {
  text: string;
  /** What the source keeps, once the pages are known. */
  keep: (pages: readonly SourcePage[]) => Kept | undefined;
}

/** The text of the document, or the pages of the last run. */
async function readDocument(
  client: WebClient,
  url: URL,
  maxBytes: number,
  run: SourceRun,
): Promise<DocumentText | SourceResult> {
  client.addStart(url);
  const kept = run.kept as Kept | undefined;
  const isHeld = kept?.pages.every(({ path, hash }) => run.isHeld(path, hash)) === true;
  const headers = {
    ...(isHeld && kept.etag !== undefined && { 'If-None-Match': kept.etag }),
    ...(isHeld && kept.lastModified !== undefined && { 'If-Modified-Since': kept.lastModified }),
  };
  const response = await client.get(url, { headers, maxBytes, signal: run.signal });
  if (response.status === 304 && isHeld) {
    return { pages: kept.pages.map(unchangedPage), keep: kept };
  }
  assertRead(url.href, response.status);
  const { etag, 'last-modified': lastModified } = response.headers;
  return {
    text: response.body.toString('utf8'),
    keep: (pages) => ({ etag, lastModified, pages: pages.map(toKnownPage) }),
  };
}

type LlmsOptions = OnSite<SourceOf<'llms'>>;

/** The largest files contain a whole documentation. */
const maxLlmsBytes = 50_000_000;

/** Reads an `llms.txt` and the pages it links to, or an `llms-full.txt`, which contains the pages. */
export function createLlmsSource(options: LlmsOptions): PageSource {
  const { client, url } = options;
  return {
    id: `llms ${url}`,
    async read(run) {
      const start = new URL(url);
      client.addStart(start);
      if (/full/i.test(start.pathname)) return readFull(start, options, run);
      const { status, body } = await client.get(start, {
        maxBytes: maxLlmsBytes,
        signal: run.signal,
      });
      assertRead(url, status);
      const home = options.baseUrl === undefined ? start.origin : new URL(options.baseUrl).origin;
      const found = await run.parse('llmsLinks', { text: body.toString('utf8'), base: start.href });
      const links = found.map((link) => ({ ...link, url: new URL(link.url) }));
      const own = links.filter((link) => [start.origin, home].includes(link.url.origin));
      const { origin } = own[0]?.url ?? start;
      const mayRead = (page: URL) =>
        page.origin === origin && isWanted(decodePercent(page.pathname).slice(1), options);
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

async function readFull(start: URL, options: LlmsOptions, run: SourceRun): Promise<SourceResult> {
  const read = await readDocument(options.client, start, maxLlmsBytes, run);
  if (!('text' in read)) return read;
  const parts = await run.parse('llmsFull', { text: read.text, base: start.href });
  const pages = parts
    .map((page) => toSourcePage(page, start, options, run))
    .filter(({ path }) => isWanted(path.slice(1), options))
    .slice(0, options.maxPages);
  if (pages.length === 0) {
    throw new DocentError('bad_request', `There is no page for readers in ${start.href}.`);
  }
  return { pages, keep: read.keep(pages) };
}

function toSourcePage(
  { title, url: named, slug, markdown }: LlmsPage,
  start: URL,
  options: LlmsOptions,
  run: SourceRun,
): SourcePage {
  const url = named === undefined ? undefined : new URL(named);
  // A page without an address is cited by the address of the file.
  const shown = url ? readersUrl(url) : start;
  const path = url ? pathOfUrl(shown, options) : `${options.basePath ?? ''}/${slug}`;
  const file = url ? joinFile(decodePercent(url.pathname)) : `${slug}.md`;
  const input = { file, markdown, path, title };
  const hash = sha256([hashPage(input), shown.href]);
  // The fragment makes the citations of different pages differ. The file itself has no anchors.
  const address = url ? shown.href : `${start.href}#${slug}`;
  return {
    path,
    hash,
    from: shown.href,
    read: async () => ({ ...(await readMarkdown(input, run)), url: address }),
  };
}

type OpenApiOptions = OnSite<SourceOf<'openapi'>> & { basePath: string };

const maxOpenApiBytes = 30_000_000;

export function createOpenApiSource(options: OpenApiOptions): PageSource {
  const { document: from, client } = options;
  return {
    id: `openapi ${from}`,
    async read(run) {
      const read = /^https?:\/\//.test(from)
        ? await readDocument(client, new URL(from), maxOpenApiBytes, run)
        : await readLocal(from);
      if (!('text' in read)) return read;
      const { basePath, baseUrl, layout, include, exclude } = options;
      const input = { text: read.text, from, basePath, baseUrl, layout, include, exclude };
      const pages = (await run.parse('openApi', input)).map((one) => toPage(one, from, run));
      if (pages.length === 0) {
        throw new DocentError('bad_request', `There is no operation for readers in ${from}.`);
      }
      return { pages, keep: read.keep(pages) };
    },
  };
}

async function readLocal(file: string): Promise<DocumentText> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DocentError('bad_request', `The file ${file} cannot be read.`, { cause });
  });
  return { text, keep: () => undefined };
}

function toPage(
  { path, url, name, title, text, fault }: OperationText,
  document: string,
  run: SourceRun,
): SourcePage {
  const known = { path, hash: '', from: `${document} ${name}` };
  if (text === undefined) return unreadablePage(known, fault);
  const input = { file: `${path.slice(1)}.md`, markdown: text, path, title, description: name };
  const hash = sha256([hashPage(input), url]);
  return {
    ...known,
    hash,
    async read() {
      const page = await readMarkdown(input, run);
      return {
        ...page,
        url,
        passages: page.passages.map((passage) => ({ ...passage, anchor: '' })),
      };
    },
  };
}
