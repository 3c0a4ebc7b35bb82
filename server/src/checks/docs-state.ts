/** One state of the documentation, read only as far as somebody asks. */
import { createHash } from 'node:crypto';
import type { DocsFiles } from '../files/tree.ts';
import { type PageFacts, readFacts } from './page-facts.ts';
import { createSiteMap, type SiteMap, toRoute } from './site-map.ts';
import { readStyle } from './site-styles.ts';

export interface DocsState {
  site: SiteMap;
  /** `undefined`: there is no such file. */
  facts(path: string): Promise<PageFacts | undefined>;
  text(path: string): Promise<string | undefined>;
  /** Contents of many files, a few at a time; lets others have their turn in between. */
  each(
    paths: readonly string[],
    visit: (path: string, bytes: Buffer) => void | Promise<void>,
  ): Promise<void>;
  /** Learns the paths that only the contents of pages show. Reads the beginning of every page, once. */
  readSlugs(): Promise<void>;
}

/** Parsed pages that are kept; one that was dropped is parsed again. */
const kept = 1_000;
const together = 128;
const slugKeys = /^(slug|permalink|url|aliases|redirect_from)\s*:/m;

/** Parsed pages by path and contents: states before and after a change share most of them, and so do checks of one job. */
export type ParsedPages = Map<string, PageFacts>;

export async function openState(
  files: DocsFiles,
  root: string,
  { signal, parsed = new Map() }: { signal?: AbortSignal | undefined; parsed?: ParsedPages } = {},
): Promise<DocsState> {
  const site = createSiteMap(files, root, await readStyle(files, root, signal));
  let slugs: Promise<void> | undefined;

  const state: DocsState = {
    site,

    async facts(path) {
      signal?.throwIfAborted();
      const bytes = (await files.read([path], signal)).get(path);
      if (bytes === undefined) return undefined;
      const key = `${path}\n${createHash('sha1').update(bytes).digest('base64')}`;
      const known = parsed.get(key);
      const facts = known ?? readFacts(path, bytes);
      // What was used last stays longest.
      parsed.delete(key);
      parsed.set(key, facts);
      const oldest = parsed.size > kept ? parsed.keys().next().value : undefined;
      if (oldest !== undefined) parsed.delete(oldest);
      return facts;
    },

    async text(path) {
      return (await files.read([path], signal)).get(path)?.toString('utf8');
    },

    async each(paths, visit) {
      for (let at = 0; at < paths.length; at += together) {
        signal?.throwIfAborted();
        const read = await files.read(paths.slice(at, at + together), signal);
        for (const [path, bytes] of read) await visit(path, bytes);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },

    readSlugs() {
      slugs ??= state.each(site.pages, (path, bytes) => {
        const head = bytes.subarray(0, 4_096).toString('utf8');
        if (slugKeys.test(head))
          for (const route of slugRoutes(path, head, site)) site.addRoute(route, path);
      });
      return slugs;
    },
  };
  return state;
}

/** What `slug` and its relatives say: from the root, or beside the file. */
function slugRoutes(path: string, head: string, site: SiteMap): string[] {
  const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\n(?:---|\.\.\.)/.exec(head)?.[1] ?? '';
  const values = [...block.matchAll(/^(?:slug|permalink|url)\s*:\s*["']?([^"'#\n]+)/gm)].map(
    ([, value = '']) => value.trim(),
  );
  const lists = [
    ...block.matchAll(/^(?:aliases|redirect_from)\s*:\s*(\[[^\]]*\]|(?:\s*\n\s*-\s*.+)+|.+)/gm),
  ];
  const aliases = lists.flatMap(([, list = '']) => list.match(/\/?[\w./-]*\w[\w./-]*/g) ?? []);
  const usual = site.routesOf(path);
  return [...values, ...aliases].flatMap((value) => [
    ...(value.startsWith('/')
      ? [toRoute(value), ...site.mounts.map(({ at }) => toRoute(`${at}/${value}`))]
      : usual.map((route) => toRoute(`${route}/../${value}`))),
    ...(value.includes('/') && !value.startsWith('/') ? [toRoute(value)] : []),
  ]);
}
