/**
 * Finds problems with addresses that other pages already link to. Either the site serves them in a way that
 * files don't show, or they were broken before. In both cases, the change didn't cause the problem.
 */
import type { DocsState } from './docs-state.ts';
import type { Finding } from './finding.ts';
import { splitLink } from '../../docs/generators/paths.ts';

/** If this many pages link below a path without pages, something else is served there. */
const minPages = 3;

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
