/**
 * Addresses that other pages have as well, although no file stands behind them: the site makes them in a way
 * that files do not show, or they were broken all along. Either way the change is not to blame.
 */
import type { DocsState } from './docs-state.ts';
import type { Finding } from './finding.ts';
import { splitLink } from '../../docs/generators/paths.ts';

/** So many pages that link below a place that has no page show that something else stands there. */
const enough = 3;

export async function findHabits(
  found: readonly Finding[],
  before: DocsState,
  changed: ReadonlySet<string>,
): Promise<Set<Finding>> {
  const doubtful = found.flatMap((problem) => {
    const isAddress = problem.check === 'links' || problem.check === 'images';
    if (!isAddress || !problem.found?.startsWith('/')) return [];
    // What did lead somewhere is broken by the change, however many link to it.
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
  const habits = new Set<Finding>();
  if (doubtful.length === 0) return habits;
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
    if (same > 0 || beside >= enough) habits.add(problem);
  return habits;
}

/** The whole address and not the beginning of a longer one. */
function isLinked(bytes: Buffer, path: string): boolean {
  if (path === '') return false;
  for (let at = bytes.indexOf(path); at >= 0; at = bytes.indexOf(path, at + 1)) {
    const before = String.fromCharCode(bytes[at - 1] ?? 32);
    const after = String.fromCharCode(bytes[at + path.length] ?? 32);
    if (/["'(<\s]/.test(before) && /["')>\s#?/]/.test(after)) return true;
  }
  return false;
}
