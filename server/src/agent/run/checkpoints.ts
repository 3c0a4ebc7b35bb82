/**
 * Stores the progress of a run. Each function that takes a lease is one transaction that only the
 * current claim can commit, and a process that takes the job over continues from the last one.
 */
import type { Correction } from '@docent/shared/agent-corrections';
import type { AgentEvent } from '@docent/shared/agent-events';
import type { AgentFailure } from '@docent/shared/agent';
import { sql } from 'kysely';
import { JobError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import type { SavedEdit } from '../workspace/file-set.ts';
import type { StartPoint } from '../publish/publish.ts';
import type { PullRequest } from '../forge/forge.ts';
import type { Publication } from '../publish/publish.ts';
import { changeState } from '../jobs/states.ts';
import { type JobRow, toFailure } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { fromInstruction } from '../loop/conversation.ts';
import type { LoopEnd, StepRecord } from '../loop/loop.ts';
import { type Used, usedColumns } from './metered-model.ts';
import { type Lease, whereMine } from './leases.ts';
import { markTaken, type StoredInstruction, waitingInstructions } from '../jobs/instructions.ts';
import { addMessages, saveEdits } from './saved-work.ts';

export type Checkpoints = ReturnType<typeof createCheckpoints>;

export function createCheckpoints(deps: { jobs: Jobs; now: () => Date }) {
  const { jobs } = deps;
  const log = jobs.events;
  const now = () => deps.now().toISOString();

  /** Changes the row, and writes what belongs to the change. */
  const change = (
    lease: Lease,
    columns: Parameters<typeof whereMine>[2],
    events: readonly AgentEvent[],
    writeMore?: (tx: Database) => Promise<void>,
  ): Promise<JobRow> =>
    log.transaction(async (tx) => {
      const row = await whereMine(tx, lease, columns);
      await writeMore?.(tx);
      await log.append(tx, row, events);
      return row;
    });

  return {
    /** The run has its commit, and the edits of an earlier run that still apply to it. */
    prepared(
      lease: Lease,
      begin: {
        start: StartPoint;
        edits: readonly SavedEdit[];
        notice: string | undefined;
      },
    ): Promise<JobRow> {
      const { start, edits, notice } = begin;
      return log.transaction(async (tx) => {
        const before = await whereMine(tx, lease, { stage: 'work', notice: notice ?? null });
        await saveEdits(tx, lease.id, edits);
        return whereMine(tx, lease, {
          base_branch: start.baseBranch,
          branch: start.branch,
          source_commit: start.source,
          ...pullColumns(before, { former: start.former, pull: start.pull }, now()),
        });
      });
    },

    readsCode: (lease: Lease, commits: Record<string, string>): Promise<JobRow> =>
      change(lease, { code_commits: JSON.stringify(commits) }, []),

    async events(lease: Lease, events: readonly AgentEvent[]): Promise<void> {
      await change(lease, { owner: lease.owner }, events);
    },

    async step(
      lease: Lease,
      step: {
        record: StepRecord;
        edits: readonly SavedEdit[];
        used: Used;
        events: readonly AgentEvent[];
      },
    ): Promise<void> {
      const { record, edits, used, events } = step;
      const columns = {
        ...usedColumns(used),
        todos: JSON.stringify(record.todos),
        ...(record.corrections && { corrections: JSON.stringify(record.corrections) }),
        // The job made progress, so the count of lost processes starts again.
        crashes: 0,
        notice: null,
      };
      const { inputTokens, outputTokens } = record.usage;
      const last = { type: 'step' as const, step: used.steps, inputTokens, outputTokens };
      await change(lease, columns, [...events, last], async (tx) => {
        if (record.replacesEarlier) {
          await tx
            .updateTable('agent_messages')
            .set({ is_compacted: 1 })
            .where('job_id', '=', lease.id)
            .execute();
        }
        await addMessages(tx, lease.id, record.messages);
        await markTaken(tx, record.taken, now());
        await saveEdits(tx, lease.id, edits);
      });
    },

    /** Stores the edits and the end of a command together, so that it never runs on its own edits. */
    commanded(
      lease: Lease,
      command: {
        instruction: StoredInstruction;
        end: LoopEnd;
        edits: readonly SavedEdit[];
        used: Used;
        events: readonly AgentEvent[];
      },
    ): Promise<JobRow> {
      const { instruction, end, edits, used, events } = command;
      const { title, message } = end;
      const done = { stage: 'review' as const, title, message, summary: null, crashes: 0 };
      return change(lease, { ...done, ...usedColumns(used) }, events, async (tx) => {
        // A language model may get the next instruction.
        const answer = { role: 'assistant' as const, content: message };
        await addMessages(tx, lease.id, [fromInstruction(instruction), answer]);
        await markTaken(tx, [instruction.id], now());
        await saveEdits(tx, lease.id, edits);
      });
    },

    /** Marks a command that can't be carried out, so that it isn't tried again. */
    async refused(lease: Lease, { id }: StoredInstruction): Promise<void> {
      await change(lease, { owner: lease.owner }, [], (tx) => markTaken(tx, [id], now()));
    },

    /** The model has finished; the review comes next. */
    finished(
      lease: Lease,
      end: LoopEnd,
      used: Used,
      events: readonly AgentEvent[],
    ): Promise<JobRow> {
      const { title, message, summary = null } = end;
      return change(
        lease,
        { stage: 'review', title, message, summary, ...usedColumns(used) },
        events,
      );
    },

    /** What the second review said, and what is left of the change. */
    reviewed(
      lease: Lease,
      said: {
        corrections?: readonly Correction[];
        used?: Used;
        edits?: readonly SavedEdit[];
        end?: LoopEnd;
      },
    ): Promise<JobRow> {
      const { corrections, used, edits, end } = said;
      const columns = {
        owner: lease.owner,
        ...(corrections && { corrections: JSON.stringify(corrections) }),
        ...(used && usedColumns(used)),
        ...end,
      };
      return change(lease, columns, [], async (tx) => {
        if (edits) await saveEdits(tx, lease.id, edits);
      });
    },

    /** The review found problems: the model gets them and continues. */
    givenBack(lease: Lease, notice: string, events: readonly AgentEvent[]): Promise<JobRow> {
      const feedbacks = sql<number>`feedbacks + 1`;
      return change(lease, { stage: 'work', notice, feedbacks }, events);
    },

    /**
     * The point of no return: the pull request is written from here on, and the job can't be cancelled
     * anymore. An earlier cancel request, sent to any process, takes effect here.
     */
    publishing(lease: Lease, events: readonly AgentEvent[]): Promise<JobRow> {
      return log.transaction(async (tx) => {
        const row = await whereMine(tx, lease, { owner: lease.owner });
        if (row.state === 'cancelling') throw cancelled();
        await log.append(tx, row, events);
        return row.state === 'publishing' ? row : changeState(tx, row, 'publish', now());
      });
    },

    /**
     * Ends the run successfully. If an instruction arrived in the meantime, the job continues: this returns the
     * row of the next run, under the same claim.
     */
    completed(lease: Lease, used: Used, publication?: Publication): Promise<JobRow | undefined> {
      return log.transaction(async (tx) => {
        const before = await whereMine(tx, lease, usedColumns(used));
        const pull = publication?.pull;
        const message =
          [before.message, ...(publication?.notes ?? [])].filter(Boolean).join('\n\n') || null;
        const row = await whereMine(tx, lease, {
          message,
          ...(publication && { branch: publication.branch }),
          ...(publication?.commit !== undefined && { published_commit: publication.commit }),
          ...pullColumns(before, { former: publication?.former, pull }, now()),
        });
        if (pull) {
          const { number, url, isDraft } = pull;
          await log.append(tx, row, [{ type: 'pull-request', number, url, isDraft }]);
        }
        if (row.state === 'cancelling') throw cancelled();
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

    /** A lost process had made it. */
    foundPull(lease: Lease, pull: PullRequest): Promise<JobRow> {
      const { number, url, isDraft } = pull;
      const event = { type: 'pull-request' as const, number, url, isDraft };
      return change(lease, { pull_number: number, pull_url: url, ...isOpenSince(now()) }, [event]);
    },

    /** Ends the run with a failure and keeps its edits. An instruction that arrived too late for it queues the next run. */
    failed(
      lease: Lease,
      end: {
        failure: AgentFailure;
        used: Used | undefined;
        edits: readonly SavedEdit[] | undefined;
        seen: ReadonlySet<string>;
        events: readonly AgentEvent[];
      },
    ): Promise<AgentFailure> {
      const { used, edits, seen, events } = end;
      return log.transaction(async (tx) => {
        const row = await whereMine(tx, lease, used ? usedColumns(used) : { owner: lease.owner });
        if (edits) await saveEdits(tx, lease.id, edits);
        await log.append(tx, row, events);
        const isCancelled = row.state === 'cancelling';
        const failure = isCancelled ? toFailure('cancelled', cancelled().message) : end.failure;
        const failed = await jobs.fail(tx, row, failure);
        const waiting = await waitingInstructions(tx, lease.id);
        const hasNew = waiting.some(({ id }) => !seen.has(id));
        if (hasNew && !isCancelled) await jobs.reopen(tx, failed);
        return failure;
      });
    },
  };
}

export const cancelled = () => new JobError('cancelled', 'The job was canceled while it ran.');

/** From then on, `pulls/pull-states.ts` asks what becomes of it. */
const isOpenSince = (time: string) =>
  ({ pull_state: 'open', pull_ended_at: null, pull_due_at: time }) as const;

/** Moves a merged or closed pull request to the list of former ones. */
function pullColumns(
  row: JobRow,
  {
    former,
    pull,
  }: {
    former: { number: number; url: string; head: { branch: string } } | undefined;
    pull: { number: number; url: string } | undefined;
  },
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
    if (row.pull_number !== pull.number) Object.assign(columns, isOpenSince(time));
  }
  return columns;
}
