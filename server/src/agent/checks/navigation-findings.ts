/** Finds navigation entries that lead nowhere, and new pages that the navigation doesn't list. */
import type { FileChange } from '../workspace/tree.ts';
import { isIn, withoutOrder, insideOf, isForeign, toRoute } from '../../docs/generators/paths.ts';
import { type DocsState, isDocsFile, isPartial } from './docs-state.ts';
import { finding, type Finding } from './finding.ts';
import type { History } from './link-findings.ts';
import {
  isNavigation,
  type Navigation,
  readNavigations,
} from '../../docs/generators/navigation.ts';
import { nearestFile } from './nearest.ts';

export interface NavigationFindings {
  findings: Finding[];
  /** A navigation was found and could be read. */
  isKnown: boolean;
}

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

/** Navigations in settings that are code. Nothing of a repository runs here, so only their texts are read. */
const settings =
  /(^|\/)(\.vitepress\/(config\/.*|[^/]*)|(docusaurus|astro)\.config|sidebars|_meta)\.[cm]?[jt]sx?$/;

function isCodeNavigation(path: string): boolean {
  return settings.test(path) && !path.includes('node_modules/');
}

/** The settings of this site that are code and may hold its navigation. */
export function codeNavigations({ site }: DocsState): string[] {
  const { generator, siteFolder } = site.layout;
  if (generator === 'plain') return [];
  return [...site.files.paths()].filter((path) => isCodeNavigation(path) && isIn(path, siteFolder));
}

/**
 * The lines that still name a page that was removed, moved, or renamed. Text can mean something else, so these
 * are warnings.
 */
export async function findStaleNames(
  changes: readonly FileChange[],
  after: DocsState,
  history: History,
): Promise<Finding[]> {
  const gone = changes.filter(
    ({ path, kind }) => kind === 'deleted' && isDocsFile(path, after.site.root),
  );
  const files = gone.length > 0 ? codeNavigations(after) : [];
  /** Each with the name that the page has now. */
  const names = new Map<string, string | undefined>();
  for (const { path } of files.length > 0 ? gone : []) {
    const now = history.movedTo(path);
    const next = now === undefined ? [] : await namesOf(now, after);
    for (const [index, name] of (await namesOf(path, history.before)).entries()) {
      const isKept = next.includes(name) || after.site.pageAt(name) !== undefined;
      if (name !== '/' && !isKept) names.set(name, next[index]);
    }
  }
  const found: Finding[] = [];
  for (const path of files) {
    const lines = ((await after.text(path)) ?? '').split('\n');
    for (const [index, line] of lines.entries()) {
      for (const [, , written = ''] of line.matchAll(/(['"`])([^'"`\\]+)\1/g)) {
        const name = nameIn(written, path);
        if (name === undefined || !names.has(name)) continue;
        const instead = respelled(written, name, names.get(name));
        const advice = instead === undefined ? 'Name another page.' : `Write "${instead}".`;
        const message = `"${written}" leads to a page that is gone. ${advice}`;
        const where = { check: 'navigation', path, line: index + 1, severity: 'warning' } as const;
        found.push(finding({ ...where, message, found: written, instead }));
      }
    }
  }
  return found;
}

/** A page's path on the site, with and without the site's base, and its name in the sidebars of Docusaurus. */
async function namesOf(path: string, state: DocsState): Promise<string[]> {
  await state.readFront(path);
  const { site } = state;
  const route = toRoute(site.routesOf(path)[0] ?? path);
  const below = toRoute(insideOf(route, site.layout.base) ?? route);
  return [
    route,
    below,
    site.layout.generator === 'docusaurus' ? toRoute(site.documentId(path)) : below,
  ];
}

/** The page that a text may name. A single word does so only in a list of pages. */
function nameIn(written: string, path: string): string | undefined {
  const [page = ''] = written.split(/[?#]/, 1);
  const isName = /\/|\.mdx?$/.test(page) || /(^|\/)(sidebars|astro\.config)\.\w+$/.test(path);
  return page === '' || isForeign(page) || /\s/.test(page) || !isName ? undefined : toRoute(page);
}

/** The text with the new name, spelled like the old one. */
function respelled(written: string, name: string, next: string | undefined): string | undefined {
  const [start = ''] = /^\.?\//.exec(written) ?? [];
  const [path = ''] = written.slice(start.length).split(/[?#]/, 1);
  const page = path.replace(/(\.mdx?|\.html|\/)$/, '');
  const end = written.slice(start.length + page.length);
  return next === undefined || `/${page}` !== name ? undefined : start + next.slice(1) + end;
}
