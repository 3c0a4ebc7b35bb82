/** A folder of built HTML: the pages of any generator, with the addresses and anchors that its build made. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { spellPath } from '../generators/page-location.ts';
import { decodePercent, joinPath } from '../generators/paths.ts';
import { pageAddress, pathOfUrl } from '../web/page-address.ts';
import { type BuiltFrom, isFileLink, openBuiltFrom } from './built-from.ts';
import { walkFolder } from './folder-source.ts';
import {
  type Globs,
  type PageSource,
  type SourcePage,
  unchangedPage,
  unreadablePage,
} from './page-source.ts';

export interface HtmlFolderSettings extends Globs {
  folder: string;
  /** The folder that it's built from, if the place of the build doesn't show it. */
  sources?: string | undefined;
  /** Address of the site, and the path at which the folder is on it. */
  baseUrl?: string | undefined;
  basePath?: string | undefined;
  pathStyle?: 'clean' | 'slash' | 'html' | 'kept' | 'hash' | undefined;
}

/** What was known of a file in the last run. `path: null`: it's no page. */
interface KnownFile {
  digest: string;
  path: string | null;
  /** Links that may name the file that it's made from. */
  fileLinks?: string[] | undefined;
}

const maxBytes = 10_000_000;
/** Of a page: a list of a project's files has thousands. */
const maxFileLinks = 50;
/** Increase it when the same HTML results in another page. */
const readerVersion = 2;
/** Where there is no `baseUrl`. It's in no page of the index. */
const nowhere = 'http://docs.invalid';

/** Pages that generators make of other pages: indexes of words, listings of source code, errors. */
const isMade = (file: string) =>
  /(^|\/)(404|search|genindex|py-modindex|print|toc)(\.html|\/index\.html)$|(^|\/)(_modules|_static|_sources)\//.test(
    file,
  );

export function createHtmlSource(settings: HtmlFolderSettings): PageSource {
  const { folder, basePath } = settings;
  const baseUrl = settings.baseUrl ?? nowhere;
  return {
    id: `html ${folder}`,
    async read(run) {
      const names = await walkFolder({ ...settings, ...run, ending: /\.html?$/i, maxBytes });
      const builtFrom = await openBuiltFrom(folder, settings.sources);
      await warnIfStale(folder, names, builtFrom, run.onWarning);
      const before = (run.kept ?? {}) as Record<string, KnownFile | undefined>;
      const keep: Record<string, KnownFile> = {};
      const pages: SourcePage[] = [];
      for (const [done, from] of names.entries()) {
        if (isMade(from)) continue;
        run.signal?.throwIfAborted();
        run.onProgress({ done, total: names.length, path: from });
        // oxlint-disable-next-line no-await-in-loop -- one after the other, so that they aren't all in memory
        const body = await readFile(join(folder, from));
        const facts = [readerVersion, baseUrl, basePath, settings.pathStyle];
        const digest = sha256([JSON.stringify(facts), body]);
        const known = before[from]?.digest === digest ? before[from] : undefined;
        const hash = hashOf(digest, known && builtFrom.fileOf(from, known.fileLinks ?? []));
        if (known && (known.path === null || run.isHeld(known.path, hash))) {
          keep[from] = known;
          if (known.path !== null) pages.push(unchangedPage({ path: known.path, hash, from }));
          continue;
        }
        // oxlint-disable-next-line no-await-in-loop -- as above
        const { page, fileLinks } = await readPage(from, body, digest);
        keep[from] = { digest, path: page?.path ?? null, fileLinks };
        if (page) pages.push(page);
      }
      if (pages.length === 0) {
        throw new DocentError(
          'bad_request',
          `There is no HTML page with text in ${folder}. Build the site first.`,
        );
      }
      return { pages, keep };

      async function readPage(
        from: string,
        body: Buffer,
        digest: string,
      ): Promise<{ page?: SourcePage; fileLinks?: string[] }> {
        const url = addressOf(from);
        const input = {
          html: new TextDecoder().decode(body),
          url: url.href,
          baseUrl,
          basePath: undefined,
        };
        try {
          const read = await run.parse('html', input, { signal: run.signal });
          const { page, robots } = read;
          if (!page || robots.has('noindex') || robots.has('none')) return {};
          const canonical = pageAddress(read.canonical, url) ?? url;
          const shown = settings.baseUrl === undefined ? canonical.pathname : canonical.href;
          const fileLinks = read.links.filter(isFileLink).slice(0, maxFileLinks);
          const source = builtFrom.fileOf(from, fileLinks);
          const whole = { ...page, url: shown, ...(source !== undefined && { source }) };
          const known = { path: page.path, hash: hashOf(digest, source), from };
          return { page: { ...known, read: () => whole }, fileLinks };
        } catch (error) {
          run.signal?.throwIfAborted();
          if (!isTooMuch(error) && !(error instanceof DocentError)) throw error;
          const known = { path: pathOfUrl(url, { baseUrl }), hash: digest, from };
          return { page: unreadablePage(known, error) };
        }
      }
    },
  };

  /** `a/index.html` is `/a/`. Other files keep their name, unless the owner says how the site spells paths. */
  function addressOf(file: string): URL {
    const isIndex = /(^|\/)index\.html?$/i.test(file);
    const bare = file.replace(isIndex ? /index\.html?$/i : /\.html?$/i, '');
    const above = decodePercent(new URL(baseUrl).pathname);
    const path = joinPath(above, basePath ?? '', bare);
    return new URL(spellPath({ path, isIndex }, settings.pathStyle ?? 'html'), baseUrl);
  }
}

const hashOf = (digest: string, source: string | undefined) =>
  source === undefined ? digest : sha256([digest, source]);

/** Sources that are newer than the build. */
async function warnIfStale(
  build: string,
  names: readonly string[],
  { folder, files }: BuiltFrom,
  onWarning: (warning: string) => void,
): Promise<void> {
  const newest = async (root: string, some: readonly string[]) => {
    let last = { file: '', time: 0 };
    for (const file of some.slice(0, 5_000)) {
      // oxlint-disable-next-line no-await-in-loop -- thousands at once would take all file handles
      const { mtimeMs: time } = await stat(join(root, file));
      if (time > last.time) last = { file, time };
    }
    return last;
  };
  const sources = files.filter((file) => /\.(mdx?|rst|adoc)$/i.test(file));
  const [built, written] = [await newest(build, names), await newest(folder, sources)];
  if (written.time <= built.time) return;
  onWarning(
    `${build} is older than ${written.file}. Build the site again, so that answers say what it says now.`,
  );
}
