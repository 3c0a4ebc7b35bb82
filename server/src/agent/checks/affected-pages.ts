/**
 * Checks unchanged pages that link to something removed, moved, or renamed. Only pages whose text contains
 * its name are parsed.
 */
import { posix } from 'node:path';
import type { FileChange } from '../workspace/tree.ts';
import { type DocsState, isDocsFile, isPartial } from './docs-state.ts';
import { type Finding, newOnes } from './finding.ts';
import { findIncludeFindings, findLinkFindings, type History } from './link-findings.ts';
import type { PageFacts } from './page-facts.ts';
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import { createPauses } from '../../platform/pauses.ts';
import { splitLink } from '../../docs/generators/paths.ts';

/** With more names than this, the words of a text are looked up in a set instead. */
const maxNamesForTextSearch = 12;

export async function findAffected(
  changes: readonly FileChange[],
  after: DocsState,
  settings: ChecksConfig,
  history: History,
): Promise<Finding[]> {
  const gone = await goneNames(changes, after, history);
  const touched = new Set(changes.map(({ path }) => path));
  const others = after.site.pages.filter((path) => !touched.has(path));
  const including = await findIncluding(changes, others, gone, { after, history });
  await goneNames(
    including.map((path) => ({ path, kind: 'modified', before: undefined, after: undefined })),
    after,
    history,
    gone,
  );
  if (isEmpty(gone) && including.length === 0) return [];
  const suspects = new Set(including);
  if (!isEmpty(gone)) {
    await after.each(others, (path, bytes) => {
      if (mentions(bytes, gone)) suspects.add(path);
    });
  }
  const found: Finding[] = [];
  const pause = createPauses();
  for (const path of suspects) {
    const facts = await after.facts(path);
    if (!facts) continue;
    const includes = settings.links ? findIncludeFindings(facts) : [];
    if (includes.length > 0) {
      const earlier = await history.before.facts(path);
      found.push(...newOnes(includes, earlier ? findIncludeFindings(earlier) : []));
    }
    const now = await findLinkFindings(facts, after, { settings });
    if (now.length > 0) {
      const before = (await history.before.facts(path)) ?? facts;
      const once = await findLinkFindings(before, history.before, { settings });
      if (newOnes(now, once).length > 0) {
        const explained = await findLinkFindings(facts, after, { settings, history });
        found.push(...newOnes(explained, once));
      }
    }
    await pause();
  }
  return found;
}

/** Returns unchanged pages that include a changed file. Pages that lost no heading are not looked for. */
async function findIncluding(
  changes: readonly FileChange[],
  others: readonly string[],
  gone: Gone,
  { after, history }: { after: DocsState; history: History },
): Promise<string[]> {
  const { root } = after.site;
  const files = changes.flatMap(({ path, kind, from }) =>
    from !== undefined
      ? [from]
      : kind !== 'added' && (!isEmpty(gone) || !isDocsFile(path, root) || isPartial(path))
        ? [path]
        : [],
  );
  if (files.length === 0) return [];
  const paths = new Set(files);
  const names = new Set(files.map((path) => posix.basename(path)));
  const found: string[] = [];
  await after.each(others, async (path, bytes) => {
    if (![...names].some((name) => bytes.includes(name))) return;
    const included = await history.before.includedIn(path, bytes);
    if (included.some((file) => paths.has(file))) found.push(path);
  });
  return found;
}

interface Gone {
  /** Names of files and folders, as they appear in links. */
  names: Set<string>;
  /** Removed anchors, with the names of their page in links. */
  anchors: Map<string, Set<string>>;
}

const isEmpty = ({ names, anchors }: Gone): boolean => names.size === 0 && anchors.size === 0;

function mentions(bytes: Buffer, { names, anchors }: Gone): boolean {
  if (names.size > 0 && hasName(bytes, names)) return true;
  if (anchors.size === 0 || !hasAny(bytes, anchors)) return false;
  for (const [link] of bytes.toString('utf8').matchAll(/[^\s()"'<>]+/g)) {
    const at = link.lastIndexOf('#');
    const pages = at < 0 ? undefined : anchors.get(link.slice(at + 1));
    const path = link.slice(0, Math.max(at, 0));
    if (pages && [...pages].some((page) => path.includes(page))) return true;
  }
  return false;
}

function hasAny(bytes: Buffer, anchors: Gone['anchors']): boolean {
  if (anchors.size > maxNamesForTextSearch) return true;
  return [...anchors.keys()].some((anchor) => bytes.includes(`#${anchor}`));
}

function hasName(bytes: Buffer, names: Gone['names']): boolean {
  if (names.size <= maxNamesForTextSearch) {
    for (const name of names) if (hasWord(bytes, name)) return true;
    return false;
  }
  for (const [word] of bytes.toString('utf8').matchAll(/[^\s()"'<>/#?=[\]{}]+/g)) {
    if (names.has(word) || names.has(word.replace(/\.\w+$/, ''))) return true;
  }
  return false;
}

/** Finds `page-7`, but not in `page-71`. */
function hasWord(bytes: Buffer, name: string): boolean {
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const before = String.fromCharCode(bytes[at - 1] ?? 32);
    const after = String.fromCharCode(bytes[at + Buffer.byteLength(name)] ?? 32);
    if (!/\w$/.test(name) || (!/[A-Za-z0-9]/.test(before) && !/[\w-]/.test(after))) return true;
  }
  return false;
}

/** Returns the names and anchors that links to removed pages and headings contain. */
async function goneNames(
  changes: readonly FileChange[],
  after: DocsState,
  history: History,
  gone: Gone = { names: new Set(), anchors: new Map() },
): Promise<Gone> {
  const add = (name: string) => {
    gone.names.add(name);
    gone.names.add(encodeURI(name));
  };
  for (const { path, kind, from } of changes) {
    if (kind === 'deleted') addFile(path, add);
    const origin = kind === 'modified' ? path : from;
    if (origin === undefined || kind === 'deleted' || !isDocsFile(path, after.site.root)) continue;
    const [once, now] = [await history.before.facts(origin), await after.facts(path)];
    const called = new Set<string>();
    for (const page of [path, origin]) addFile(page, (name) => called.add(name));
    const [oldSlug, newSlug] = [once, now].map(slugOf);
    for (const slug of [oldSlug, newSlug]) if (slug !== undefined) called.add(slug);
    // Links to an index page may consist of a slash.
    if (/(^|\/)(index|readme)\.\w+$/i.test(path)) called.add('/').add('.');
    for (const anchor of once?.anchors ?? []) {
      if (now?.anchors.has(anchor)) continue;
      for (const spelling of [anchor, encodeURIComponent(anchor)]) {
        const pages = gone.anchors.get(spelling) ?? new Set<string>();
        for (const page of called) pages.add(page).add(encodeURI(page));
        gone.anchors.set(spelling, pages);
      }
    }
    if (oldSlug === newSlug) continue;
    // A page with a new slug leaves the path of its file, or its old slug.
    if (oldSlug === undefined) addFile(path, add);
    else add(oldSlug);
  }
  return gone;
}

function slugOf(facts: PageFacts | undefined): string | undefined {
  const { data } = facts?.frontmatter ?? {};
  const slug = data?.['slug'] ?? data?.['permalink'];
  return typeof slug === 'string' ? (slug.split('/').filter(Boolean).at(-1) ?? 'index') : undefined;
}

function addFile(path: string, add: (name: string) => void): void {
  const parts = path.split('/');
  const file = parts.pop() ?? '';
  const name = file.replace(/\.(mdx?|markdown)$/i, '');
  if (!/^(index|readme)$/i.test(name))
    return add(name.replace(/^\d{1,3}\s*[-_.]+\s*(?=\D)/, '') || name);
  add(name);
  const folder = parts.at(-1);
  if (folder !== undefined) add(folder.replace(/^\d{1,3}\s*[-_.]+\s*(?=\D)/, '') || folder);
  for (const link of ['](/)', '](./)', '](.)', 'href="/"', '](../)', '](..)']) add(link);
}

/** If this many pages link below a path without pages, something else is served there. */
const minPages = 3;

/**
 * Finds problems with addresses that other pages already link to. Either the site serves them in a way that
 * files don't show, or they were broken before. In both cases, the change didn't cause the problem.
 */
export async function findAddressesInUse(
  found: readonly Finding[],
  before: DocsState,
  changed: ReadonlySet<string>,
): Promise<Set<Finding>> {
  const doubtful = found.flatMap((problem) => {
    const isAddress = problem.check === 'links' || problem.check === 'images';
    if (!isAddress || !problem.found?.startsWith('/')) return [];
    // If the link worked before, the change broke it, no matter how many pages use it.
    if (before.site.resolve(problem.found, problem.path).kind !== 'missing') return [];
    const { path } = splitLink(problem.found);
    const section = /^\/[^/]+\//.exec(path)?.[0];
    const hasPages =
      section !== undefined &&
      before.site.pages.some((page) =>
        before.site.routesOf(page).some((route) => route.startsWith(section)),
      );
    return [
      {
        problem,
        path: path.replace(/\/$/, ''),
        section: hasPages ? undefined : section,
        same: 0,
        beside: 0,
      },
    ];
  });
  const inUse = new Set<Finding>();
  if (doubtful.length === 0) return inUse;
  await before.each(
    before.site.pages.filter((page) => !changed.has(page)),
    (_, bytes) => {
      for (const one of doubtful) {
        if (isLinked(bytes, one.path)) one.same += 1;
        if (
          one.section !== undefined &&
          (bytes.includes(`(${one.section}`) || bytes.includes(`"${one.section}`))
        )
          one.beside += 1;
      }
    },
  );
  for (const { problem, same, beside } of doubtful)
    if (same > 0 || beside >= minPages) inUse.add(problem);
  return inUse;
}

/** Whether a page contains the whole address, not only as the start of a longer one. */
function isLinked(bytes: Buffer, path: string): boolean {
  if (path === '') return false;
  for (let at = bytes.indexOf(path); at >= 0; at = bytes.indexOf(path, at + 1)) {
    const before = String.fromCharCode(bytes[at - 1] ?? 32);
    const after = String.fromCharCode(bytes[at + path.length] ?? 32);
    if (/["'(<\s]/.test(before) && /["')>\s#?/]/.test(after)) return true;
  }
  return false;
}
