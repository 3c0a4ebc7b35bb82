/** Navigations in settings that are code. Nothing of a repository runs here, so only their texts are read. */
import { insideOf, isForeign, isIn, toRoute } from '../../docs/generators/paths.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { DocsState } from './docs-state.ts';
import { finding, type Finding } from './finding.ts';
import type { History } from './link-findings.ts';
import { isDocsFile } from './site-map.ts';

const settings =
  /(^|\/)(\.vitepress\/(config\/.*|[^/]*)|(docusaurus|astro)\.config|sidebars|_meta)\.[cm]?[jt]sx?$/;

export function isCodeNavigation(path: string): boolean {
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
