/**
 * Creates, reads, instructs, cancels, ends and archives jobs. The row is the only truth, and each change is
 * one transaction together with its events.
 */
import type { AgentFailure } from '@docent/shared/agent';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import { type KeyedRequest, makeOnce } from '../../platform/store/idempotency.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { branchName } from '../publish/branch-name.ts';
import { changeState, lockJob, statusOf } from './states.ts';
import { createJobEvents, type OnEvents } from './events.ts';
import { isBaseBranch, type JobRow, type NewJob, newRow, toFailure } from './job.ts';
import {
  assertUnderstood,
  type Instruction,
  type InstructionFields,
  storeInstructions,
  toInstruction,
  withoutSecrets,
} from './instructions.ts';
import {
  createJobReader,
  type JobInQueue,
  noJob,
  otherOnBranch,
  queuePositions,
} from './read-jobs.ts';
import { type Actor } from '../../platform/auth/caller.ts';

export type { NewJob } from './job.ts';

interface NewInstruction extends InstructionFields {
  by?: Actor | undefined;
  idempotencyKey?: string | undefined;
}

/** What else is written in the transaction of a new job or instruction. */
type OnMade = (tx: Database, jobId: string) => Promise<void>;

const archivedAtATime = 500;

export type Jobs = ReturnType<typeof createJobs>;

export function createJobs(deps: {
  database: Database;
  bus: Bus;
  now: () => Date;
  onEvents?: OnEvents | undefined;
  models?: Readonly<Record<string, { model: string }>>;
}) {
  const { database, now, models = {} } = deps;
  const events = createJobEvents(deps);
  const reader = createJobReader(database);
  const { read } = reader;

  /** The same answer for a job of another project and for one that never was. */
  async function lockOf(tx: Database, project: string, id: string): Promise<JobRow> {
    const row = await lockJob(tx, id);
    if (row?.project !== project) throw noJob();
    return row;
  }

  /** Records what was said and, if the job waits because of it, its position in the queue. */
  async function announce(
    tx: Database,
    row: JobRow,
    instructions: readonly Instruction[],
    actor: Actor | undefined,
    isNewInQueue: boolean,
  ): Promise<void> {
    const said = instructions.map(({ role, content }) => ({
      type: 'message' as const,
      role,
      prompt: content,
    }));
    const [waiting] = isNewInQueue ? await queuePositions(tx, [row.id]) : [];
    const queued = waiting ? [{ type: 'queued' as const, position: Number(waiting.position) }] : [];
    await events.append(tx, row, [...said, ...queued], actor);
  }

  async function insert(tx: Database, job: NewJob, model: string | null): Promise<string> {
    const { project, instructions } = job;
    const id = newId();
    const at = now().toISOString();
    const instruction = instructions.findLast(({ role }) => role === 'user')?.content ?? '';
    const branch = job.branch ?? branchName(project.branchPrefix, instruction, id);
    // A name that is made from the job's id can't belong to another job.
    if (job.branch !== undefined) await holdBranch(tx, { project: project.id, branch });
    const row = await tx
      .insertInto('agent_jobs')
      .values(newRow(job, { id, branch, model, model_id: models[model ?? '']?.model ?? null, at }))
      .returningAll()
      .executeTakeFirstOrThrow();
    await storeInstructions(tx, now, id, instructions, job.by);
    await announce(tx, row, instructions, job.by, true);
    return id;
  }

  const jobs = {
    ...reader,
    events,

    /** Creates a job, or returns the one that the same request created before. */
    async create(job: NewJob, onMade?: OnMade): Promise<{ job: JobInQueue; isReplay: boolean }> {
      const { project } = job;
      if (project.repository === undefined) {
        const message = `The project ${project.id} has no repository; set \`repository\` in its configuration.`;
        throw new DocentError('conflict', message);
      }
      if (job.branch !== undefined && job.branch === project.baseBranch) {
        throw isBaseBranch(job.branch);
      }
      const usedModel = job.model ?? project.model ?? null;
      assertUnderstood(job.instructions, usedModel);
      const instructions = job.instructions.map(withoutSecrets);
      const { instructions: said, branch, model, isDraft, allowLarge, idempotencyKey } = job;
      const body = [said, branch ?? null, model ?? null, isDraft ?? false, allowLarge ?? false];
      const { id, isReplay } = await makeOnce(
        deps,
        toKeyed(project.id, 'create', idempotencyKey, body),
        (note) =>
          events.transaction(async (tx) => {
            const made = await insert(tx, { ...job, instructions }, usedModel);
            await onMade?.(tx, made);
            await note(tx, made);
            return made;
          }),
      );
      return { job: await read(project.id, id), isReplay };
    },

    /** Adds an instruction. A running job takes it up at its next step; an ended job runs again. */
    async instruct(
      project: string,
      id: string,
      { by, idempotencyKey, ...fields }: NewInstruction,
      onMade?: OnMade,
    ): Promise<{ job: JobInQueue; isReplay: boolean }> {
      const { isReplay } = await makeOnce(
        deps,
        toKeyed(project, `message ${id}`, idempotencyKey, [fields]),
        (note) =>
          events.transaction(async (tx) => {
            const row = await lockOf(tx, project, id);
            const hasEnded = statusOf(row.state) !== 'active';
            if (hasEnded && row.archived_at === null) {
              await holdBranch(tx, { id, project, branch: row.branch });
            }
            const instructions = [withoutSecrets(toInstruction(fields))];
            const changed = await changeState(tx, row, 'message', now().toISOString());
            assertUnderstood(instructions, row.model);
            await storeInstructions(tx, now, id, instructions, by);
            await announce(tx, changed, instructions, by, hasEnded);
            await onMade?.(tx, id);
            await note(tx, id);
            return id;
          }),
      );
      return { job: await read(project, id), isReplay };
    },

    /** A queued job fails at once; a running job is ended by its process. */
    async cancel(project: string, id: string, actor?: Actor): Promise<JobInQueue> {
      await events.transaction(async (tx) => {
        const row = await lockOf(tx, project, id);
        if (row.state === 'queued') {
          const failure = toFailure('cancelled', 'It was canceled before it began.');
          await jobs.fail(tx, row, failure, actor);
          return;
        }
        await changeState(tx, row, 'cancel', now().toISOString());
        const isFirst = row.state !== 'cancelling';
        if (isFirst) await events.append(tx, row, [{ type: 'cancel-requested' }], actor);
      });
      return read(project, id);
    },

    async archive(project: string, id: string, actor?: Actor): Promise<JobInQueue> {
      await events.transaction(async (tx) => {
        await archive(tx, await lockOf(tx, project, id), actor);
      });
      return read(project, id);
    },

    /** Archives jobs that ended before that time; returns how many. */
    async archiveEndedBefore(time: Date): Promise<number> {
      const old = await database
        .selectFrom('agent_jobs')
        .select('id')
        .where('state', 'in', ['completed', 'failed'])
        .where('archived_at', 'is', null)
        .where('finished_at', '<', time.toISOString())
        .orderBy('finished_at')
        .limit(archivedAtATime)
        .execute();
      let archived = 0;
      for (const { id } of old) {
        await events.transaction(async (tx) => {
          const row = await lockJob(tx, id);
          // A message may have arrived in the meantime.
          if (!row || statusOf(row.state) === 'active' || row.archived_at !== null) return;
          await archive(tx, row);
          archived += 1;
        });
      }
      return archived;
    },

    /** Completes a job in the transaction of its runner. The row is locked. */
    async complete(tx: Database, row: JobRow): Promise<void> {
      const { pull_url: prLink, message } = await changeState(
        tx,
        row,
        'complete',
        now().toISOString(),
      );
      await events.append(tx, row, [{ type: 'completed', prLink, message }]);
    },

    /** Fails a job in the transaction of its runner. The row is locked. */
    async fail(tx: Database, row: JobRow, failure: AgentFailure, actor?: Actor): Promise<JobRow> {
      const failed = await changeState(tx, row, 'fail', now().toISOString(), {
        failure: JSON.stringify(failure),
      });
      await events.append(tx, row, [{ type: 'failed', failure }], actor);
      return failed;
    },

    /** Queues an ended job again for a message that was stored while it still ran. The row is locked. */
    async reopen(tx: Database, row: JobRow): Promise<JobRow> {
      const reopened = await changeState(tx, row, 'message', now().toISOString());
      await announce(tx, reopened, [], undefined, true);
      return reopened;
    },
  };
  return jobs;

  async function archive(tx: Database, row: JobRow, actor?: Actor): Promise<void> {
    await changeState(tx, row, 'archive', now().toISOString());
    await events.append(tx, row, [{ type: 'archived' }], actor);
  }
}

/** `undefined` if the caller sent no key: then each request counts. */
function toKeyed(
  project: string,
  what: string,
  key: string | undefined,
  body: unknown,
): KeyedRequest | undefined {
  return key === undefined
    ? undefined
    : { scope: `project ${project}`, key: `${what} ${key}`, body };
}

/**
 * One branch has one active job at a time: two would overwrite each other's pull request. Rejects with
 * `conflict` if another one works on it. Otherwise no other job can take the branch before the transaction ends.
 */
async function holdBranch(
  tx: Database,
  { id, project, branch }: { id?: string; project: string; branch: string },
): Promise<void> {
  // Without the lock, two requests at the same moment wouldn't see each other's job.
  await lockUntilCommit(tx, `agent jobs: branches of ${project}`);
  const other = await otherOnBranch(tx, { id, project, branch });
  if (other === undefined) return;
  throw new DocentError(
    'conflict',
    id === undefined
      ? `The job ${other} works on the branch ${branch}; send it a message, or name another branch.`
      : `Another job, ${other}, works on the branch ${branch} now; send that one the message, wait for its end, or create a new job.`,
  );
}
