/** A folder of built HTML: the pages of any generator, with the addresses and anchors that its build made. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { pageAddress, pathOfUrl } from '../web/page-address.ts';
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
  /** Address of the site, and the path at which the folder is on it. */
  baseUrl?: string | undefined;
  basePath?: string | undefined;
  pathStyle?: 'clean' | 'slash' | 'html' | 'kept' | 'hash' | undefined;
}

/** What was known of a file in the last run. `path: null`: it's no page. */
interface KnownFile {
  digest: string;
  path: string | null;
}

const maxBytes = 10_000_000;
/** Increase it when the same HTML results in another page. */
const readerVersion = 1;
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
      await warnIfStale(folder, names, run.onWarning);
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
        const known = before[from];
        const isSame = known?.digest === digest;
        if (isSame && known.path === null) {
          keep[from] = known;
        } else if (isSame && known.path !== null && run.isHeld(known.path, digest)) {
          keep[from] = known;
          pages.push(unchangedPage({ path: known.path, hash: digest, from }));
        } else {
          // oxlint-disable-next-line no-await-in-loop -- as above
          const page = await readPage(from, body, digest);
          keep[from] = { digest, path: page?.path ?? null };
          if (page) pages.push(page);
        }
      }
      if (pages.length === 0) {
        throw new DocentError(
          'bad_request',
          `There is no HTML page with text in ${folder}. Build the site first.`,
        );
      }
      return { pages, keep };

      async function readPage(from: string, body: Buffer, hash: string) {
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
          if (!page || robots.has('noindex') || robots.has('none')) return undefined;
          const canonical = pageAddress(read.canonical, url) ?? url;
          const shown = settings.baseUrl === undefined ? canonical.pathname : canonical.href;
          const { path } = page;
          return { path, hash, from, read: () => ({ ...page, url: shown }) };
        } catch (error) {
          run.signal?.throwIfAborted();
          if (!isTooMuch(error) && !(error instanceof DocentError)) throw error;
          return unreadablePage({ path: pathOfUrl(url, { baseUrl }), hash, from }, error);
        }
      }
    },
  };

  /** `a/index.html` is `/a/`. Other files keep their name, unless the owner says how the site spells paths. */
  function addressOf(file: string): URL {
    const { pathStyle } = settings;
    const isIndex = /(^|\/)index\.html?$/i.test(file);
    const bare = file.replace(isIndex ? /index\.html?$/i : /\.html?$/i, '');
    const isBare = isIndex || (pathStyle !== undefined && pathStyle !== 'html');
    const end = !isIndex && pathStyle === 'slash' ? '/' : '';
    const path = (isBare ? bare : file).split('/').map(encodeURIComponent).join('/');
    const above = new URL(baseUrl).pathname.replace(/\/$/, '');
    const below = (basePath ?? '').replace(/\/$/, '');
    const url = new URL(`${above}${below}/${path}${end}`, baseUrl);
    if (pathStyle === 'clean' && url.pathname !== '/')
      url.pathname = url.pathname.replace(/\/$/, '');
    return url;
  }
}

/** Sources beside the build that are newer than it. */
async function warnIfStale(
  folder: string,
  names: readonly string[],
  onWarning: (warning: string) => void,
): Promise<void> {
  const parts = resolve(folder).split(sep);
  // `docs/_build/html` is made from `docs`, and `public` from the folder it's in.
  const at = parts.findIndex((one) =>
    /^(_?build|_site|public|dist|book|out|site|html)$/i.test(one),
  );
  const sources = at > 1 ? parts.slice(0, at).join(sep) : dirname(resolve(folder));
  const found = await walkFolder({
    folder: sources,
    ending: /\.(mdx?|rst|adoc)$/i,
    onWarning: () => {},
  }).catch(() => []);
  const newest = async (root: string, files: readonly string[]) => {
    let last = { file: '', time: 0 };
    for (const file of files.slice(0, 5_000)) {
      // oxlint-disable-next-line no-await-in-loop -- thousands at once would take all file handles
      const { mtimeMs: time } = await stat(join(root, file));
      if (time > last.time) last = { file, time };
    }
    return last;
  };
  const [built, written] = [await newest(folder, names), await newest(sources, found)];
  if (written.time <= built.time) return;
  onWarning(
    `${folder} is older than ${written.file}. Build the site again, so that answers say what it says now.`,
  );
}
