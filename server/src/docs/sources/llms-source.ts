import { sha256 } from '../../platform/hash.ts';
import type { SourceOf } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import {
  isWanted,
  type PageSource,
  readMarkdown,
  type SourcePage,
  type SourceResult,
  type SourceRun,
} from './page-source.ts';
import { decodePercent, joinFile } from '../generators/paths.ts';
import { hashPage } from '../pages/page-hash.ts';
import type { LlmsPage } from './llms-text.ts';
import { pathOfUrl, readersUrl } from '../web/page-address.ts';
import { readSite } from '../web/site-reader.ts';
import type { OnSite } from './web-sources.ts';
import { assertRead } from '../web/web-client.ts';
import { readDocument } from '../web/read-document.ts';

type LlmsOptions = OnSite<SourceOf<'llms'>>;

/** The largest files contain a whole documentation. */
const maxBytes = 50_000_000;

/** Reads an `llms.txt` and the pages it links to, or an `llms-full.txt`, which contains the pages. */
export function createLlmsSource(options: LlmsOptions): PageSource {
  const { client, url } = options;
  return {
    id: `llms ${url}`,
    async read(run) {
      const start = new URL(url);
      client.addStart(start);
      if (/full/i.test(start.pathname)) return readFull(start, options, run);
      const { status, body } = await client.get(start, { maxBytes, signal: run.signal });
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
  const read = await readDocument(options.client, start, maxBytes, run);
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
