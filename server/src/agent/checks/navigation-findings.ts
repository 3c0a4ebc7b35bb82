/** Finds navigation entries that lead nowhere, and new pages that the navigation doesn't list. */
import type { FileChange } from '../workspace/tree.ts';
import { isIn, withoutOrder } from '../../docs/generators/paths.ts';
import type { DocsState } from './docs-state.ts';
import { isCodeNavigation } from './code-navigation.ts';
import { finding, type Finding } from './finding.ts';
import type { History } from './link-findings.ts';
import {
  isNavigation,
  type Navigation,
  readNavigations,
} from '../../docs/generators/navigation.ts';
import { nearestFile } from './nearest.ts';
import { isDocsFile, isPartial } from './site-map.ts';

export interface NavigationFindings {
  findings: Finding[];
  /** A navigation was found and could be read. */
  isKnown: boolean;
}

/** Whether the change may affect a navigation. */
export function touchesNavigation(changes: readonly FileChange[], root: string): boolean {
  return changes.some(
    ({ path, kind }) =>
      isNavigation(path) ||
      isCodeNavigation(path) ||
      (kind !== 'modified' && isDocsFile(path, root)),
  );
}

export async function findBrokenEntries(
  state: DocsState,
  history?: History,
): Promise<NavigationFindings> {
  const navigations = await readNavigations(state);
  const findings = navigations.flatMap((navigation) =>
    navigation.entries
      .filter(({ file }) => file === undefined)
      .map(({ text, line }) => {
        const instead = history ? newEntry(text, navigation, state, history) : undefined;
        const advice =
          instead === undefined ? 'Name a page, or remove the entry.' : `Write "${instead}".`;
        const message = `The navigation entry "${text}" leads to no page. ${advice}`;
        return finding({
          check: 'navigation',
          path: navigation.path,
          line,
          message,
          found: text,
          instead,
        });
      }),
  );
  return { findings, isKnown: navigations.length > 0 };
}

function newEntry(
  text: string,
  navigation: Navigation,
  state: DocsState,
  history: History,
): string | undefined {
  const spelling = (path: string) => spelled(path, navigation);
  const old = bare(text.replace(/^\.?\//, ''));
  for (const path of history.before.site.pages) {
    const isMeant = bare(path).endsWith(old) || bare(spelling(path)).endsWith(old);
    const now = isMeant ? history.movedTo(path) : undefined;
    if (now !== undefined) return entryOf(spelling(now), spelling(path), text);
  }
  const near = nearestFile(
    text,
    state.site.pages.filter((page) => !isPartial(page)),
  );
  if (!near?.isSure) return undefined;
  const listed = navigation.entries.find(({ file }) => file !== undefined);
  return listed?.file === undefined
    ? undefined
    : entryOf(spelling(near.name), spelling(listed.file), listed.text);
}

const bare = (path: string) => path.replace(/\.(mdx?|markdown)$/i, '');

/** Docusaurus leaves out numbers that only sort. */
export function spelled(path: string, { kind }: Navigation): string {
  return kind === 'docusaurus' ? withoutOrder(path) : path;
}

/** Returns an entry for a file, in the form of the entry for another file. */
export function entryOf(file: string, other: string, entry: string): string | undefined {
  const hasEnding = /\.(mdx?|markdown)$/i.test(entry);
  const inner = entry.replace(/^\.?\//, '').replace(/\/$/, '');
  const lead = entry.slice(0, entry.length - entry.replace(/^\.?\//, '').length);
  const written = hasEnding ? other : bare(other);
  const short = hasEnding ? inner : bare(inner);
  const page = written.endsWith(short) ? written : written.replace(/\/(index|readme)$/i, '');
  if (!page.endsWith(short)) return undefined;
  const prefix = page.slice(0, page.length - short.length);
  if (!file.startsWith(prefix)) return undefined;
  const path = file.slice(prefix.length);
  return lead + (hasEnding ? path : bare(path));
}

/** If most pages are listed by hand, an unlisted new page is probably a mistake. */
export async function findUnlisted(
  changes: readonly FileChange[],
  state: DocsState,
): Promise<Finding[]> {
  const added = changes.filter(
    ({ path, kind }) => kind === 'added' && isDocsFile(path, state.site.root) && !isPartial(path),
  );
  if (added.length === 0) return [];
  const navigations = await readNavigations(state);
  const listed = new Set(navigations.flatMap(({ entries }) => entries.map(({ file }) => file)));
  const pages = state.site.pages.filter((path) => !isPartial(path));
  const count = pages.filter((path) => listed.has(path)).length;
  if (count === 0 || count * 2 < pages.length - added.length) return [];
  const found: Finding[] = [];
  for (const { path } of added) {
    const isAutomatic = navigations.some(({ automatic }) =>
      automatic.some((folder) => isIn(path, folder)),
    );
    if (listed.has(path) || isAutomatic || /(^|\/)(404|readme|summary)\.\w+$/i.test(path)) continue;
    const facts = await state.facts(path);
    const data = facts?.frontmatter.data ?? {};
    if (['hidden', 'draft', 'unlisted'].some((key) => data[key] === true)) continue;
    const where = navigations[0]?.path ?? 'the navigation';
    const message = `No navigation lists this new page, so readers can't find it. Add it to ${where}.`;
    found.push(
      finding({ check: 'navigation', path, message, severity: 'warning', key: `unlisted ${path}` }),
    );
  }
  return found;
}
