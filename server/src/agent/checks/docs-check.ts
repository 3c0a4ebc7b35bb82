/** The checks that the agent can run while it works. */
import type { ChecksReport } from '@docent/shared/agent-checks';
import type { ChecksConfig } from '../../platform/config/project-config.ts';
import type { DocsFiles, FileChange } from '../workspace/tree.ts';
import { type AllProblems, checkAll } from './check-all.ts';
import { checkDocs } from './check-docs.ts';
import type { ParsedPages } from './docs-state.ts';

export interface DocsCheck {
  /** Problems that the change causes. */
  change(): Promise<ChecksReport>;
  /** All problems, old and new, of the pages that match a pattern. */
  all(glob?: string): Promise<AllProblems>;
}

/** This many problems fit into a tool's result. */
const maxShown = 150;

export function createDocsCheck(deps: {
  files: { view(): DocsFiles; original(): DocsFiles; changes(): Promise<FileChange[]> };
  project: { docsRoot: string; checks: ChecksConfig };
  parsed: ParsedPages;
  signal?: AbortSignal | undefined;
}): DocsCheck {
  const { files, project, parsed, signal } = deps;
  const input = async () => ({
    before: files.original(),
    after: files.view(),
    changes: await files.changes(),
    root: project.docsRoot,
    project,
    parsed,
    signal,
  });
  return {
    change: async () => checkDocs(await input()),
    all: async (glob) => checkAll(await input(), { glob, limit: maxShown }),
  };
}
