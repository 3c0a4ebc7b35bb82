import type { ParsedPages } from '../checks/docs-state.ts';
import type { FileSet } from '../workspace/file-set.ts';
import type { Forge } from '../forge/forge.ts';
import type { Project } from '../../platform/tenants/projects.ts';
import type { Job } from '../jobs/job.ts';

/** What was asked for, in the order in which it came. */
export interface Instruction {
  text: string;
  /** Who asked; null: a reader's feedback. */
  keyId: string | null;
}

/** What a round works with, once it is known. */
export interface Workplace {
  job: Job;
  project: Project;
  forge: Forge;
  files: FileSet;
  /** Pages that its checks have parsed. */
  parsed: ParsedPages;
  /** That the work has taken up. */
  instructions: readonly Instruction[];
  signal: AbortSignal;
}
