import type { FileDiff } from '@docent/shared/job-pages';
import { runAgentTask } from '../run-agent-task.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import type { FileChange } from './tree.ts';

/** Copying more into a worker would block answers. */
const maxBytes = 32 * 1024 * 1024;

/** What reviewers read of a change, made in a worker. A change that is too much for it has no lines. */
export async function diffInWorker(
  changes: readonly FileChange[],
  signal?: AbortSignal,
): Promise<FileDiff[]> {
  try {
    return await runAgentTask('diffFiles', bounded(changes), { signal });
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return changes.map(({ path, from, kind }) => ({
      path,
      from,
      kind,
      content: 'too-large',
      added: 0,
      removed: 0,
      hunks: [],
    }));
  }
}

export const patchInWorker = (changes: readonly FileChange[], signal?: AbortSignal) =>
  runAgentTask('unifiedDiff', bounded(changes), { signal });

function bounded(changes: readonly FileChange[]): FileChange[] {
  let left = maxBytes;
  return changes.map((change) => {
    left -= (change.before?.length ?? 0) + (change.after?.length ?? 0);
    return left >= 0 ? change : { ...change, before: withoutText, after: withText };
  });
}

/** Two different contents that are no text. */
const withoutText = Buffer.from([0]);
const withText = Buffer.from([0, 0]);
