/**
 * Pages that the change did not touch and that it may break all the same: they link to what was removed,
 * moved or renamed. Their raw text is looked through for its name, and only those that have it are parsed.
 */
import type { FileChange } from '../files/tree.ts';
import type { DocsState } from './docs-state.ts';
import { type Finding, newOnes } from './finding.ts';
import { findLinkFindings, type History } from './link-findings.ts';
import { isDocsFile } from './site-map.ts';
import type { ChecksConfig } from '../config/checks-config.ts';

/** Beyond so many names, words are looked up in a set instead of names in the text. */
const fewNames = 12;

export async function findAffected(
  changes: readonly FileChange[],
  after: DocsState,
  settings: ChecksConfig,
  history: History,
): Promise<Finding[]> {
  const gone = await goneNames(changes, after, history);
  if (gone.size === 0) return [];
  const touched = new Set(changes.map(({ path }) => path));
  const others = after.site.pages.filter((path) => !touched.has(path));
  const suspects: string[] = [];
  await after.each(others, (path, bytes) => {
    if (mentions(bytes, gone)) suspects.push(path);
  });
  const found: Finding[] = [];
  for (const [index, path] of suspects.entries()) {
    const facts = await after.facts(path);
    if (!facts) continue;
    const now = await findLinkFindings(facts, after, { settings });
    if (now.length > 0) {
      const once = await findLinkFindings(facts, history.before, { settings });
      if (newOnes(now, once).length > 0) {
        const explained = await findLinkFindings(facts, after, { settings, history });
        found.push(...newOnes(explained, once));
      }
    }
    if (index % 32 === 31) await new Promise((resolve) => setImmediate(resolve));
  }
  return found;
}

function mentions(bytes: Buffer, gone: Set<string>): boolean {
  if (gone.size <= fewNames) {
    for (const name of gone) if (bytes.includes(name)) return true;
    return false;
  }
  for (const [word] of bytes.toString('utf8').matchAll(/#?[^\s()"'<>/#?=[\]{}]+/g)) {
    if (gone.has(word) || gone.has(word.replace(/\.\w+$/, ''))) return true;
  }
  return false;
}

/** What links to something that is gone have in them. */
async function goneNames(
  changes: readonly FileChange[],
  after: DocsState,
  history: History,
): Promise<Set<string>> {
  const names = new Set<string>();
  const add = (name: string) => {
    names.add(name);
    names.add(encodeURI(name));
  };
  const isReadable = (path: string) => isDocsFile(path, after.site.root);
  for (const { path, kind } of changes) {
    if (kind === 'deleted') addFile(path, add);
    if (kind !== 'modified' || !isReadable(path)) continue;
    const [once, now] = [await history.before.facts(path), await after.facts(path)];
    for (const anchor of once?.anchors ?? []) if (!now?.anchors.has(anchor)) add(`#${anchor}`);
    const [oldSlug, newSlug] = [once, now].map(
      (facts) => facts?.frontmatter.data?.['slug'] ?? facts?.frontmatter.data?.['permalink'],
    );
    if (oldSlug === newSlug) continue;
    // A page that gets a path of its own leaves the one of its name, or the one that it had.
    if (typeof oldSlug === 'string') add(oldSlug.split('/').filter(Boolean).at(-1) ?? 'index');
    else addFile(path, add);
  }
  // Anchors of a page that was moved and changed.
  for (const { path, from } of changes) {
    if (from === undefined || !isReadable(path)) continue;
    const [once, now] = [await history.before.facts(from), await after.facts(path)];
    for (const anchor of once?.anchors ?? []) if (!now?.anchors.has(anchor)) add(`#${anchor}`);
  }
  return names;
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
