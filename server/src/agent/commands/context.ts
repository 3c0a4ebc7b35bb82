import { type DocsState, openState, type ParsedPages } from '../checks/docs-state.ts';
import { JobError } from '../../platform/errors.ts';
import { FileError, NotAllowed } from '../workspace/file-error.ts';
import type { FileSet } from '../workspace/file-set.ts';

/** The files of a job, with its project. */
export interface CommandContext {
  files: FileSet;
  project: { docsRoot: string };
  /** A cache that the checks of the job share. */
  parsed: ParsedPages;
  signal: AbortSignal;
}

/** Sentences for the owner: changes, and problems that remain. */
export interface Outcome {
  done: string[];
  open: string[];
}

export function openDocs({ files, project, parsed, signal }: CommandContext): Promise<DocsState> {
  return openState(files.view(), project.docsRoot, { signal, parsed });
}

/** Ends the job without a change. */
export function refuse(message: string): never {
  throw new JobError('command_failed', message);
}

/** Returns the reason if a file can't be read or written. */
export async function attempt(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error instanceof NotAllowed
      ? "the project's `paths` don't allow jobs to change it."
      : error.message;
  }
}
