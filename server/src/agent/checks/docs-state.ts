/** One state of the documentation. Files are read on demand. */
import { digestOf } from '../../platform/hash.ts';
import { posix } from 'node:path';
import { insideOf, isIn, joinFile, pageEnding, toRoute } from '../../docs/generators/paths.ts';
import { createSitePages, type Target } from '../../docs/generators/site-pages.ts';
import { type Layout, readLayout } from '../../docs/generators/layout.ts';
import { type Frontmatter, pageFields } from '../../docs/markdown/frontmatter.ts';
import { frontmatterOf } from '../../docs/parsing/parse.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { createLru, type Lru } from '../../platform/lru.ts';
import { createPauses } from '../../platform/pauses.ts';
import { type RunAgentTask, runAgentTask } from '../run-agent-task.ts';
import { type DocsFiles, foldersOf } from '../workspace/tree.ts';
import { createIncludes } from '../../docs/includes/include-files.ts';
import { type PageFacts, type PageInput, unreadFacts } from './page-facts.ts';
import type { MdxProblem } from './strict-mdx.ts';

export type DocsState = Awaited<ReturnType<typeof openState>>;

const batchSize = 128;
/** Frontmatter must end within this part of a file. */
export const headBytes = 16_384;
const pathKeys = /^(slug|id|permalink|url|aliases|redirect_from)\s*:/m;
/** How many levels below the docs folder are searched for the settings of a site. */
const levelsBelow = 3;

/** Parsed pages by path and content. The checks of a job share them, before and after the change. */
export type ParsedPages = Lru<string, PageFacts>;

/** Pages that were dropped are parsed again. */
export const createParsedPages = (): ParsedPages => createLru(1_000);

export interface StateOptions {
  signal?: AbortSignal | undefined;
  parsed?: ParsedPages | undefined;
  /** Reads pages in a worker. Tests give one with other limits. */
  run?: RunAgentTask | undefined;
}

export async function openState(
  files: DocsFiles,
  root: string,
  { signal, parsed = createParsedPages(), run = runAgentTask }: StateOptions = {},
) {
  const layout = await readDocsLayout(files, root, signal);
  const site = createSiteMap(files, root, layout);
  const includes = createIncludes({
    site: { layout, root: '' },
    run,
    load: (paths) =>
      files.read(
        paths.filter((path) => files.has(path)),
        signal,
      ),
  });
  const expand = async (file: string, text: string) => {
    await includes.prepare([{ file, text }], signal);
    return includes.expand({ file, text }, signal);
  };
  let fronts: Promise<void> | undefined;

  async function readPage(page: PageInput): Promise<PageFacts> {
    try {
      const facts = await run('pageFacts', page, { signal });
      return { ...facts, text: page.text, missingIncludes: page.included.problems };
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return unreadFacts(page, error.message);
    }
  }

  async function takeFront(path: string, bytes: Buffer): Promise<void> {
    if (!pageEnding.test(path) || site.hasFront(path)) return;
    const head = bytes.subarray(0, headBytes).toString('utf8');
    if (!pathKeys.test(head)) return site.setFront(path, {});
    const frontmatter = await frontmatterOf(head, run);
    site.setFront(path, pageFields(frontmatter));
    for (const route of aliases(path, frontmatter, site)) site.addRoute(route, path);
  }

  /** Reads many files in batches, and yields to other work between them. */
  async function each(
    paths: readonly string[],
    visit: (path: string, bytes: Buffer) => void | Promise<void>,
  ): Promise<void> {
    const pause = createPauses();
    for (let at = 0; at < paths.length; at += batchSize) {
      signal?.throwIfAborted();
      const read = await files.read(paths.slice(at, at + batchSize), signal);
      for (const [path, bytes] of read) {
        await visit(path, bytes);
        await pause();
      }
    }
  }

  return {
    site,
    each,

    /** `undefined` if the file doesn't exist. */
    async facts(path: string): Promise<PageFacts | undefined> {
      signal?.throwIfAborted();
      const bytes = (await files.read([path], signal)).get(path);
      if (bytes === undefined) return undefined;
      const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
      const included = await expand(path, text);
      const hash = digestOf([text, included.lines && included.text, included.problems]);
      const key = `${layout.anchors} ${path}\n${hash}`;
      const known = parsed.get(key);
      if (known) return known;
      const facts = await readPage({ path, text, anchors: layout.anchors, included });
      parsed.set(key, facts);
      return facts;
    },

    /** Where a build of the page would fail, if it's MDX. */
    async mdxProblem({ path, text, unread }: PageFacts): Promise<MdxProblem | undefined> {
      if (unread !== undefined || (!/\.mdx$/i.test(path) && !layout.isMarkdownMdx))
        return undefined;
      try {
        return await run('mdxProblem', text, { signal });
      } catch (error) {
        if (!isTooMuch(error)) throw error;
        return { reason: error.message, line: undefined };
      }
    },

    async includedIn(path: string, bytes: Buffer): Promise<readonly string[]> {
      return (await expand(path, bytes.toString('utf8'))).files;
    },

    async text(path: string): Promise<string | undefined> {
      return (await files.read([path], signal)).get(path)?.toString('utf8');
    },

    /** Reads the frontmatter that decides about the path of a page. */
    async readFront(path: string): Promise<void> {
      if (site.hasFront(path)) return;
      const bytes = (await files.read([path], signal)).get(path);
      if (bytes !== undefined) await takeFront(path, bytes);
    },

    /** Does the same for all pages, once. */
    readFronts: (): Promise<void> => (fronts ??= each(site.pages, takeFront)),
  };
}

export function readDocsLayout(
  files: DocsFiles,
  root: string,
  signal?: AbortSignal,
): Promise<Layout> {
  const read = async (path: string) =>
    files.has(path) ? (await files.read([path], signal)).get(path)?.toString('utf8') : undefined;
  return readLayout({ folder: root, read, below: foldersBelow(files, root) });
}

/** Returns other addresses from the frontmatter of a page. They start at the root or beside the file. */
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

/** Returns folders that may contain the settings of a site, if none are in the docs folder or above it. */
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

export type SiteMap = ReturnType<typeof createSiteMap>;

/** Markdown that is a page or a part of one; not what generators and package managers put there. */
export function isDocsFile(path: string, root: string): boolean {
  return (
    pageEnding.test(path) && isIn(path, root) && !/(^|\/)(\.[^/]+|node_modules)\//.test(`/${path}`)
  );
}

/** A file that other pages include. */
export function isPartial(path: string): boolean {
  return /(^|\/)(_[^/]*|snippets|partials|includes)(\/|\.mdx?$)/i.test(path);
}

/** The site of a documentation folder, as file names show it. */
function createSiteMap(files: DocsFiles, root: string, layout: Layout) {
  const pages: string[] = [];
  const all: string[] = [];
  for (const path of files.paths()) {
    if (isDocsFile(path, root)) pages.push(path);
    if (isPartial(path) || !/\.(mdx?|markdown|[jt]sx|html|astro|vue)$/i.test(path)) continue;
    if (layout.mounts.some(({ folder }) => isIn(path, folder))) all.push(path);
  }
  const site = createSitePages(layout, all, (path) => files.has(path));
  let folders: Set<string> | undefined;

  /** A folder without an index page: the site creates its page, or there is no site at all. */
  function folderAt(path: string): string | undefined {
    const bare = path.replace(/\/$/, '');
    folders ??= foldersOf(files.paths());
    if (bare !== '' && !folders.has(bare)) return undefined;
    const category = ['_category_.json', '_category_.yml', '_category_.yaml'].map((name) =>
      joinFile(bare, name),
    );
    return (
      category.find((name) => files.has(name)) ??
      (layout.generator === 'plain' && path.endsWith('/') ? bare : undefined)
    );
  }

  function isMadeByBuild(route: string): boolean {
    return (
      layout.generated.some((one) => isIn(route, one)) ||
      layout.redirects.some((from) =>
        from.endsWith('/*') ? route.startsWith(from.slice(0, -1)) : toRoute(from) === route,
      )
    );
  }

  return {
    ...site,
    files,
    root,
    /** Markdown and MDX files below the docs folder. */
    pages,
    resolve(url: string, from: string): Target {
      const target = site.resolve(url, from);
      if (target.kind !== 'missing') return target;
      const path = url.trim().split(/[?#]/, 1)[0] ?? '';
      if (!path.startsWith('/')) {
        const folder = folderAt(posix.normalize(`${posix.dirname(from)}/${path}`));
        if (folder !== undefined) return { kind: 'file', file: folder };
        // The meaning of a partial's links depends on the page that includes it.
        return isPartial(from) ? { kind: 'foreign' } : target;
      }
      const isMade = target.route !== undefined && isMadeByBuild(target.route);
      const folder = layout.mounts
        .map((mount) => folderAt(joinFile(mount.folder, path) + (path.endsWith('/') ? '/' : '')))
        .find((one) => one !== undefined);
      if (folder !== undefined) return { kind: 'file', file: folder };
      return isMade ? { kind: 'foreign' } : target;
    },
  };
}
