/** Finds all problems of a documentation, old and new, for an agent that is asked to fix them. */
import type { DocsProblem } from '@docent/shared/agent-checks';
import { compileGlob } from '../workspace/globs.ts';
import { type ChecksInput, createHistory, toProblem } from './check-docs.ts';
import { openState } from './docs-state.ts';
import { findBrokenEntries } from './navigation-findings.ts';
import { findPageFindings, openSchema } from './page-findings.ts';

export interface AllProblems {
  problems: DocsProblem[];
  /** Number of problems beyond the limit. */
  more: number;
  /** Number of pages that were checked. */
  pages: number;
}

/** Checks every page below the docs folder, or those that match a pattern. */
export async function checkAll(
  input: ChecksInput,
  { glob, limit = 500 }: { glob?: string | undefined; limit?: number } = {},
): Promise<AllProblems> {
  const { root, signal } = input;
  const settings = input.project.checks;
  const shared = { signal, parsed: input.parsed ?? new Map() };
  const after = await openState(input.after, root, shared);
  const history = createHistory(input.changes, await openState(input.before, root, shared));
  const schema = await openSchema(settings, after);
  const options = {
    settings,
    changed: new Set<string>(),
    schema: 'schema' in schema ? schema.schema : undefined,
    history,
  };
  const isMeant = glob === undefined ? () => true : compileGlob(glob);
  const pages = after.site.pages.filter((path) => isMeant(path));
  const problems: DocsProblem[] = [];
  let more = 0;
  for (const [index, path] of pages.entries()) {
    signal?.throwIfAborted();
    for (const found of await findPageFindings(path, after, options)) {
      if (problems.length < limit) problems.push(toProblem(found));
      else more += 1;
    }
    if (index % 16 === 15) await new Promise((resolve) => setImmediate(resolve));
  }
  if (settings.navigation && glob === undefined) {
    const { findings } = await findBrokenEntries(after, history);
    for (const found of findings) problems.push(toProblem(found));
  }
  return { problems, more, pages: pages.length };
}
