/**
 * Stores the progress of a run, and reads it again. Each function that takes a lease is one transaction that
 * only the current claim can commit, and a process that takes the job over continues from the last one.
 */
import type { AgentEvent } from '@docent/shared/agent-events';
import type { AgentFailure } from '@docent/shared/agent';
import type { ModelMessage } from 'ai';
import { JobError } from '../../platform/errors.ts';
import { chunksOf, type Database, type Tables } from '../../platform/store/database.ts';
import type { SavedEdit } from '../workspace/file-set.ts';
import type { PullRequest } from '../forge/forge.ts';
import type { Publication } from '../publish/publish.ts';
import { changeState } from '../jobs/states.ts';
import { type JobRow, toFailure, type Used, usedColumns } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { type Lease, whereMine } from './leases.ts';
import { markTaken, waitingInstructions } from '../jobs/instructions.ts';

/** What is stored at once; what is left out stays as it is. */
export interface Checkpoint {
  columns?: Parameters<typeof whereMine>[2];
  used?: Used | undefined;
  /** All edits of the job. */
  edits?: readonly SavedEdit[] | undefined;
  /** For the conversation with the model. */
  messages?: readonly ModelMessage[];
  /** `messages` take the place of the whole conversation. */
  replacesEarlier?: boolean;
  /** Instructions that wait no longer. */
  taken?: readonly string[];
  /** The pull request that the job works on, and one that was merged or closed. */
  pulls?: { former?: PullRequest | undefined; pull?: PullRequest | undefined };
  events?: readonly AgentEvent[];
}

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints(deps: { jobs: Jobs; now: () => Date }) {
  const { jobs } = deps;
  const log = jobs.events;
  const now = () => deps.now().toISOString();

  async function write(tx: Database, lease: Lease, checkpoint: Checkpoint): Promise<JobRow> {
    const { columns, used, edits, messages = [], taken = [], pulls, events = [] } = checkpoint;
    const changed = { owner: lease.owner, ...columns, ...(used && usedColumns(used)) };
    let row = await whereMine(tx, lease, changed);
    if (pulls?.former ?? pulls?.pull)
      row = await whereMine(tx, lease, pullColumns(row, pulls, now()));
    if (checkpoint.replacesEarlier) {
      await tx
        .updateTable('agent_messages')
        .set({ is_compacted: 1 })
        .where('job_id', '=', lease.id)
        .execute();
    }
    await addMessages(tx, lease.id, messages);
    await markTaken(tx, taken, now());
    if (edits) await saveEdits(tx, lease.id, edits);
    await log.append(tx, row, events);
    return row;
  }

  return {
    save: (lease: Lease, checkpoint: Checkpoint): Promise<JobRow> =>
      log.transaction((tx) => write(tx, lease, checkpoint)),

    /**
     * The point of no return: the pull request is written from here on, and the job can't be cancelled
     * anymore. An earlier cancel request, sent to any process, takes effect here.
     */
    publishing(lease: Lease, events: readonly AgentEvent[]): Promise<JobRow> {
      return log.transaction(async (tx) => {
        const row = await write(tx, lease, { events });
        if (row.state === 'cancelling') throw cancelled();
        return row.state === 'publishing' ? row : changeState(tx, row, 'publish', now());
      });
    },

    /**
     * Ends the run successfully. If an instruction arrived in the meantime, the job continues: this returns the
     * row of the next run, under the same claim.
     */
    completed(lease: Lease, used: Used, publication?: Publication): Promise<JobRow | undefined> {
      return log.transaction(async (tx) => {
        let row = await write(tx, lease, { used });
        if (row.state === 'cancelling') throw cancelled();
        if (publication) {
          const { pull, former, branch, commit, notes } = publication;
          const message = [row.message, ...notes].filter(Boolean).join('\n\n') || null;
          row = await write(tx, lease, {
            columns: { message, branch, ...(commit !== undefined && { published_commit: commit }) },
            pulls: { former, pull },
            events: pull ? [pullEvent(pull)] : [],
          });
        }
        if ((await waitingInstructions(tx, lease.id)).length === 0) {
          await jobs.complete(tx, row);
          return undefined;
        }
        const next = await changeState(tx, row, 'resume', now());
        const { attempt, round } = next;
        await log.append(tx, row, [{ type: 'started', attempt, round }]);
        return next;
      });
    },

    /** Ends the run with a failure. An instruction that arrived too late for it, and is not among those that the run has `seen`, queues the next run. */
    failed(
      lease: Lease,
      failed: AgentFailure,
      { seen, ...checkpoint }: Checkpoint & { seen: ReadonlySet<string> },
    ): Promise<AgentFailure> {
      return log.transaction(async (tx) => {
        const row = await write(tx, lease, checkpoint);
        const isCancelled = row.state === 'cancelling';
        const failure = isCancelled ? toFailure('cancelled', cancelled().message) : failed;
        const ended = await jobs.fail(tx, row, failure);
        const waiting = await waitingInstructions(tx, lease.id);
        const hasNew = waiting.some(({ id }) => !seen.has(id));
        if (hasNew && !isCancelled) await jobs.reopen(tx, ended);
        return failure;
      });
    },
  };
}

export const cancelled = () => new JobError('cancelled', 'The job was canceled while it ran.');

export const pullEvent = ({ number, url, isDraft }: PullRequest): AgentEvent => ({
  type: 'pull-request',
  number,
  url,
  isDraft,
});

function pullColumns(
  row: JobRow,
  { former, pull }: NonNullable<Checkpoint['pulls']>,
  time: string,
): Partial<JobRow> {
  const columns: Partial<JobRow> = {};
  if (former) {
    const { number, url, head } = former;
    const before = JSON.parse(row.former_pulls) as { number: number }[];
    const others = before.filter((each) => each.number !== number);
    columns.former_pulls = JSON.stringify([...others, { number, url, branch: head.branch }]);
    Object.assign(columns, { pull_number: null, pull_url: null, pull_due_at: null });
  }
  if (pull) {
    columns.pull_number = pull.number;
    columns.pull_url = pull.url;
    if (row.pull_number !== pull.number) {
      // From now on, `pulls/pull-states.ts` asks what becomes of it.
      Object.assign(columns, { pull_state: 'open', pull_ended_at: null, pull_due_at: time });
    }
  }
  return columns;
}

/** A row holds a whole file. */
const editsAtOnce = 200;

export async function loadEdits(database: Database, jobId: string): Promise<SavedEdit[]> {
  const rows = await database
    .selectFrom('agent_edits')
    .selectAll()
    .where('job_id', '=', jobId)
    .orderBy('path')
    .execute();
  return rows.map(({ path, content, moved_from: movedFrom }) => ({
    path,
    content: content === null ? null : Buffer.from(content, 'base64'),
    movedFrom,
  }));
}

/** Writes the edits that differ from the stored ones: a step changes few of them. */
async function saveEdits(tx: Database, jobId: string, edits: readonly SavedEdit[]): Promise<void> {
  const stored = byPath(await loadEdits(tx, jobId));
  const next = byPath(edits);
  const gone = [...stored.keys()].filter((path) => !next.has(path));
  for (const paths of chunksOf(gone)) {
    await tx
      .deleteFrom('agent_edits')
      .where('job_id', '=', jobId)
      .where('path', 'in', paths)
      .execute();
  }
  const changed = edits.filter((edit) => !isSame(edit, stored.get(edit.path)));
  for (const some of chunksOf(changed, editsAtOnce)) {
    await tx
      .insertInto('agent_edits')
      .values(some.map((edit) => toRow(jobId, edit)))
      .onConflict((conflict) =>
        conflict.columns(['job_id', 'path']).doUpdateSet((row) => ({
          content: row.ref('excluded.content'),
          moved_from: row.ref('excluded.moved_from'),
        })),
      )
      .execute();
  }
}

const byPath = (edits: readonly SavedEdit[]) => new Map(edits.map((edit) => [edit.path, edit]));

function isSame(one: SavedEdit, other: SavedEdit | undefined): boolean {
  if (!other || one.movedFrom !== other.movedFrom) return false;
  if (one.content === null || other.content === null) return one.content === other.content;
  return one.content.equals(other.content);
}

function toRow(jobId: string, { path, content, movedFrom }: SavedEdit): Tables['agent_edits'] {
  const text = content === null ? null : content.toString('base64');
  return { job_id: jobId, path, content: text, moved_from: movedFrom };
}

export async function loadConversation(database: Database, jobId: string): Promise<ModelMessage[]> {
  const rows = await database
    .selectFrom('agent_messages')
    .select('message')
    .where('job_id', '=', jobId)
    .where('is_compacted', '=', 0)
    .orderBy('seq')
    .execute();
  return rows.map(({ message }) => JSON.parse(message) as ModelMessage);
}

async function addMessages(
  tx: Database,
  jobId: string,
  messages: readonly ModelMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  const { last } = await tx
    .selectFrom('agent_messages')
    .select((row) => row.fn.max('seq').as('last'))
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  const first = Number(last ?? 0) + 1;
  await tx
    .insertInto('agent_messages')
    .values(
      messages.map((message, index) => ({
        job_id: jobId,
        seq: first + index,
        message: JSON.stringify(message),
        is_compacted: 0,
      })),
    )
    .execute();
}
