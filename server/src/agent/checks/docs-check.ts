/** The checks as the agent may ask for them while it works. */
import type { ChecksReport } from '@docent/shared/agent-checks';
import type { ChecksConfig } from '../../platform/config/checks-config.ts';
import type { DocsFiles, FileChange } from '../workspace/tree.ts';
import { type AllProblems, checkAll } from './check-all.ts';
import { checkDocs } from './check-docs.ts';
import type { ParsedPages } from './docs-state.ts';

export interface DocsCheck {
  /** What the change brings in. */
  change(): Promise<ChecksReport>;
  /** All that is wrong in the pages that a pattern names, old or new. */
  all(glob?: string): Promise<AllProblems>;
}

/** As many as fit into an answer of a tool. */
const mostShown = 150;

export function createDocsCheck(parts: {
  files: { view(): DocsFiles; original(): DocsFiles; changes(): Promise<FileChange[]> };
  project: { docsRoot: string; checks: ChecksConfig };
  parsed: ParsedPages;
  signal?: AbortSignal | undefined;
}): DocsCheck {
  const { files, project, parsed, signal } = parts;
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
    all: async (glob) => checkAll(await input(), { glob, limit: mostShown }),
  };
}
