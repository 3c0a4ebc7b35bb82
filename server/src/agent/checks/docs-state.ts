/** One state of the documentation, read only as far as somebody asks. */
import { createHash } from 'node:crypto';
import { insideOf, joinFile, pageEnding, toRoute } from '../../docs/generators/paths.ts';
import { readLayout } from '../../docs/generators/read-layout.ts';
import { type Frontmatter, pageFields, readFrontmatter } from '../../docs/markdown/frontmatter.ts';
import type { DocsFiles } from '../workspace/tree.ts';
import { type PageFacts, readFacts } from './page-facts.ts';
import { createSiteMap, isDocsFile, type SiteMap } from './site-map.ts';

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
  /** Learns where the frontmatter of a page puts it. */
  readFront(path: string): Promise<void>;
  /** The same for all pages. Reads the beginning of every page, once. */
  readFronts(): Promise<void>;
}

/** Parsed pages that are kept; one that was dropped is parsed again. */
const kept = 1_000;
const together = 128;
/** Frontmatter stands at the beginning of a file. */
export const headBytes = 16_384;
const pathKeys = /^(slug|id|permalink|url|aliases|redirect_from)\s*:/m;
/** Settings are looked for in so many levels below the docs folder. */
const levelsBelow = 3;

/** Parsed pages by path and contents: states before and after a change share most of them, and so do checks of one job. */
export type ParsedPages = Map<string, PageFacts>;

export async function openState(
  files: DocsFiles,
  root: string,
  { signal, parsed = new Map() }: { signal?: AbortSignal | undefined; parsed?: ParsedPages } = {},
): Promise<DocsState> {
  const read = async (path: string) =>
    files.has(path) ? (await files.read([path], signal)).get(path)?.toString('utf8') : undefined;
  const layout = await readLayout({ folder: root, read, below: foldersBelow(files, root) });
  const site = createSiteMap(files, root, layout);
  let fronts: Promise<void> | undefined;

  function takeFront(path: string, bytes: Buffer): void {
    if (!pageEnding.test(path) || site.hasFront(path)) return;
    const head = bytes.subarray(0, headBytes).toString('utf8');
    if (!pathKeys.test(head)) return site.setFront(path, {});
    const frontmatter = readFrontmatter(head);
    site.setFront(path, pageFields(frontmatter));
    for (const route of aliases(path, frontmatter, site)) site.addRoute(route, path);
  }

  const state: DocsState = {
    site,

    async facts(path) {
      signal?.throwIfAborted();
      const bytes = (await files.read([path], signal)).get(path);
      if (bytes === undefined) return undefined;
      const key = `${layout.anchors} ${path}\n${createHash('sha1').update(bytes).digest('base64')}`;
      const known = parsed.get(key);
      const facts = known ?? readFacts(path, bytes, layout.anchors);
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

    async readFront(path) {
      if (site.hasFront(path)) return;
      const bytes = (await files.read([path], signal)).get(path);
      if (bytes !== undefined) takeFront(path, bytes);
    },

    readFronts() {
      fronts ??= state.each(site.pages, takeFront);
      return fronts;
    },
  };
  return state;
}

/** Other addresses of a page that its frontmatter names: from the root, or beside the file. */
function aliases(path: string, { data = {} }: Frontmatter, site: SiteMap): string[] {
  const values = ['permalink', 'url', 'aliases', 'redirect_from']
    .flatMap((key) => data[key])
    .filter((value) => typeof value === 'string');
  const own = site.routesOf(path);
  return values.flatMap((value) =>
    value.startsWith('/')
      ? site.layout.mounts.map(({ at }) => toRoute(`${at}/${value}`)).concat(toRoute(value))
      : [...own.map((route) => toRoute(`${route}/../${value}`)), toRoute(value)],
  );
}

/** Folders that may hold the settings of a site, where none are in the docs folder or above it. */
function foldersBelow(files: DocsFiles, root: string): string[] {
  const found = new Set<string>();
  for (const path of files.paths()) {
    if (!isDocsFile(path, root)) continue;
    const parts = (insideOf(path, root) ?? '').split('/').slice(0, -1);
    for (let depth = 1; depth <= Math.min(levelsBelow, parts.length); depth += 1)
      found.add(joinFile(root, ...parts.slice(0, depth)));
  }
  return [...found];
}
