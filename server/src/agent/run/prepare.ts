/** Where a round begins: on which commit, with which edits of an earlier round, and what the model is told of it. */
import { createFileSet, type SavedEdit } from '../workspace/file-set.ts';
import type { PathPolicy } from '../workspace/path-policy.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forge } from '../forge/forge.ts';
import { rebaseChanges } from '../publish/rebase.ts';
import { findStart, type StartPoint } from '../publish/start-point.ts';
import type { JobRow } from '../jobs/job.ts';
import { nameSome } from '../../platform/name-some.ts';

/** Paths in one sentence. */
const mostNamed = 20;

export interface Beginning {
  start: StartPoint;
  edits: readonly SavedEdit[];
  notice?: string;
}

export async function prepareRound(
  forge: Forge,
  row: JobRow,
  parts: {
    /** The base branch that the project names today. */
    baseBranch: string | undefined;
    policy: PathPolicy;
    /** Left by the round before, on top of the row's `source_commit`. */
    edits: readonly SavedEdit[];
    /** Whether another job works on a branch. */
    isBusy: (branch: string) => Promise<boolean>;
  },
  signal: AbortSignal,
): Promise<Beginning> {
  const start = await findStart(
    forge,
    {
      branch: row.branch,
      baseBranch: row.base_branch ?? parts.baseBranch,
      pullNumber: row.pull_number ?? undefined,
      isBusy: parts.isBusy,
      job: row.id,
    },
    signal,
  );
  const carried = await carry(forge, row, { ...parts, source: start.source }, signal);
  if (row.round === 1) return { start, edits: carried.edits };
  return { start, edits: carried.edits, notice: noticeOf(start, carried) };
}

interface Carried {
  edits: readonly SavedEdit[];
  /** Files that others have changed so that an edit does not fit any more. */
  dropped: readonly string[];
}

/** What a round before has edited and could not publish, on today's files. What was published is in them already. */
async function carry(
  forge: Forge,
  { source_commit: old }: JobRow,
  parts: { policy: PathPolicy; edits: readonly SavedEdit[]; source: string },
  signal: AbortSignal,
): Promise<Carried> {
  const { policy, edits, source } = parts;
  if (old === null || edits.length === 0) return { edits: [], dropped: [] };
  if (old === source) return { edits, dropped: [] };
  const onto = await forge.openTree(source, signal);
  // A branch that is gone may have taken the commit with it: then there is nothing to carry on top of.
  const from = await forge.openTree(old, signal).catch(() => undefined);
  if (from === undefined) return { edits: [], dropped: edits.map(({ path }) => path) };
  const changes = await createFileSet({ tree: from, policy, edits, signal }).changes();
  const rebased = await rebaseChanges(changes, { from, onto }, signal);
  return { edits: rebased.changes.map(toEdit), dropped: rebased.conflicts };
}

const toEdit = ({ path, after, from }: FileChange): SavedEdit => ({
  path,
  content: after ?? null,
  movedFrom: from ?? null,
});

function noticeOf({ former, pull, baseBranch, branch }: StartPoint, carried: Carried): string {
  const { edits, dropped } = carried;
  const sentences = ['Time has passed, and the user has a further request.'];
  if (former !== undefined) {
    sentences.push(
      `Your pull request #${former.number} was ${former.state} meanwhile. What you change now goes into a new one, on top of today’s “${baseBranch}”.`,
    );
  } else if (pull !== undefined) {
    sentences.push(`Your pull request #${pull.number} is still open; you go on with it.`);
  } else {
    sentences.push(`Nothing has been proposed yet; you work on the branch “${branch}”.`);
  }
  if (edits.length > 0) {
    sentences.push(
      `Your edits that were not proposed still stand: ${nameSome(
        edits.map(({ path }) => path),
        mostNamed,
      )}.`,
    );
  }
  if (dropped.length > 0) {
    sentences.push(
      `Others have changed the same lines, so these edits of yours are gone: ${nameSome(dropped, mostNamed)}.`,
    );
  }
  sentences.push(
    'People may have changed the files since you last saw them: read them again before you edit.',
  );
  return sentences.join(' ');
}
