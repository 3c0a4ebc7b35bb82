/** Automations and their runs as rows, and as the API shows them. Due times are by the database's clock. */
import type {
  Automation,
  AutomationRun,
  AutomationTask,
  AutomationTrigger,
} from '@docent/shared/automations';
import type { Selectable } from 'kysely';
import { newId } from '../../platform/ids.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { takeDue } from '../take-due.ts';
import { nextTime } from '../../platform/next-time.ts';
import { minuteMs } from '../../platform/time.ts';
import type { Job } from '../jobs/job.ts';

export type AutomationRow = Selectable<Tables['agent_automations']>;
export type RunRow = Selectable<Tables['agent_automation_runs']>;

/** What an automation has seen. */
export interface Memory {
  /** What was new when it last looked whether there is something new. */
  mark?: string;
  /** The commit up to which it has looked at a code repository. */
  commit?: string;
  tags?: string[];
  /** Findings that it has dealt with, as long as they're found. */
  known?: string[];
}

export const taskOf = ({ task }: AutomationRow) => JSON.parse(task) as AutomationTask;
export const triggerOf = ({ trigger }: AutomationRow) => JSON.parse(trigger) as AutomationTrigger;
export const memoryOf = ({ memory }: AutomationRow) => JSON.parse(memory) as Memory;

/** How often those that wait for something new look whether there is. */
const lookEveryMs = 5 * minuteMs;

/** When an automation looks next. Null: only when somebody asks for it. Throws `bad_request` for a schedule that never comes. */
export function nextAfter(trigger: AutomationTrigger, time: Date): Date | null {
  switch (trigger.on) {
    case 'call':
      return null;
    case 'change':
      return new Date(time.getTime() + lookEveryMs);
    case 'schedule':
      return nextTime(trigger.cron, trigger.timeZone, time, 'trigger.');
  }
}

export interface Cause {
  /** Begins one run. */
  key: string;
  text: string;
}

/** A year. */
const keptSeconds = 365 * 86_400;
/** Findings that the history shows. */
const maxFindings = 50;

export function createRows({ database, clock }: Pick<Store, 'database' | 'clock'>) {
  const runs = 'agent_automation_runs';

  return {
    /** The time by which all processes go. */
    async now(): Promise<Date> {
      const { now } = await database.selectNoFrom(clock().as('now')).executeTakeFirstOrThrow();
      return new Date(now);
    },

    /** Begins a run, unless the same cause has begun one. Returns the run. */
    async begin(tx: Database, automation: string, cause: Cause): Promise<RunRow> {
      await tx
        .insertInto(runs)
        .values({
          id: newId(),
          automation_id: automation,
          cause: cause.key,
          cause_text: cause.text,
          read: '[]',
          findings: '[]',
          attempts: 0,
          due_at: clock(),
          created_at: clock(),
        })
        .onConflict((conflict) => conflict.columns(['automation_id', 'cause']).doNothing())
        .execute();
      return tx
        .selectFrom(runs)
        .selectAll()
        .where('automation_id', '=', automation)
        .where('cause', '=', cause.key)
        .executeTakeFirstOrThrow();
    },

    read: (id: string): Promise<AutomationRow | undefined> =>
      database.selectFrom('agent_automations').selectAll().where('id', '=', id).executeTakeFirst(),

    due: (most: number) =>
      database
        .selectFrom('agent_automations')
        .selectAll()
        .where('is_paused', '=', 0)
        .where('next_at', '<=', clock())
        .orderBy('next_at')
        .limit(most)
        .execute(),

    /** Takes runs that are due, for one step each. */
    take: (most: number, seconds: number): Promise<RunRow[]> =>
      takeDue({ database, clock }, runs, most, seconds),

    async postpone(id: string, seconds: number, attempts = 0): Promise<void> {
      await database
        .updateTable(runs)
        .set({ due_at: clock(seconds), attempts })
        .where('id', '=', id)
        .where('due_at', 'is not', null)
        .execute();
    },

    /** Ends a run. Nothing happens if it has ended, or has gone further than `from`. */
    async end(
      tx: Database,
      { id, outcome }: Pick<RunRow, 'id' | 'outcome'>,
      change: Partial<RunRow> & { outcome: NonNullable<RunRow['outcome']> },
    ): Promise<boolean> {
      const { numUpdatedRows } = await tx
        .updateTable(runs)
        .set({ ...change, due_at: null, finished_at: clock() })
        .where('id', '=', id)
        .where('due_at', 'is not', null)
        .where('outcome', outcome === null ? 'is' : '=', outcome)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },

    async remember(tx: Database, id: string, memory: Memory): Promise<void> {
      await tx
        .updateTable('agent_automations')
        .set({ memory: JSON.stringify(memory) })
        .where('id', '=', id)
        .execute();
    },

    async list(
      automation: string,
      { cursor, take }: { cursor?: string | undefined; take: number },
      tx: Database = database,
    ): Promise<RunRow[]> {
      return tx
        .selectFrom(runs)
        .selectAll()
        .where('automation_id', '=', automation)
        .$if(cursor !== undefined, (rows) => rows.where('id', '<', cursor ?? ''))
        .orderBy('id', 'desc')
        .limit(take)
        .execute();
    },

    /** Called from time to time: the history of more than a year ago. */
    async deleteOld(): Promise<void> {
      await database
        .deleteFrom(runs)
        .where('due_at', 'is', null)
        .where('created_at', '<', clock(-keptSeconds))
        .execute();
    },

    /** The newest run of each. */
    async newest(ids: readonly string[]): Promise<Map<string, RunRow>> {
      if (ids.length === 0) return new Map();
      const rows = await database
        .selectFrom(runs)
        .selectAll()
        .where('id', 'in', (all) =>
          all
            .selectFrom(runs)
            .select(({ fn }) => fn.max('id').as('id'))
            .where('automation_id', 'in', ids)
            .groupBy('automation_id'),
        )
        .execute();
      return new Map(rows.map((row) => [row.automation_id, row]));
    },

    /** The pull requests of jobs. */
    async pulls(jobs: readonly (string | null)[]) {
      const ids = [...new Set(jobs.flatMap((id) => id ?? []))];
      const rows = await database
        .selectFrom('agent_jobs')
        .select(['id', 'pull_number', 'pull_url'])
        .where('id', 'in', [...ids, ''])
        .execute();
      return new Map(
        rows.flatMap(({ id, pull_number: number, pull_url: url }) =>
          number === null || url === null ? [] : [[id, { number, url }] as const],
        ),
      );
    },
  };
}

export type Rows = ReturnType<typeof createRows>;
type Pulls = Awaited<ReturnType<Rows['pulls']>>;

export function showRun(row: RunRow, pulls: Pulls): AutomationRun {
  const findings = JSON.parse(row.findings) as string[];
  return {
    id: row.id,
    status: row.due_at === null ? 'ended' : row.outcome === null ? 'waiting' : 'working',
    outcome: row.outcome,
    cause: row.cause_text,
    reason: row.reason,
    read: JSON.parse(row.read) as AutomationRun['read'],
    findings: findings.slice(0, maxFindings),
    more: Math.max(0, findings.length - maxFindings),
    job: row.job_id,
    pullRequest: pulls.get(row.job_id ?? '') ?? null,
    commit: row.commit_made,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

export const showAutomation = (row: AutomationRow, lastRun: AutomationRun | null): Automation => ({
  id: row.id,
  project: row.project,
  name: row.name,
  task: taskOf(row),
  trigger: triggerOf(row),
  instruction: row.instruction,
  asDraft: row.as_draft === 1,
  isPaused: row.is_paused === 1,
  nextAt: row.is_paused === 1 ? null : row.next_at,
  createdAt: row.created_at,
  lastRun,
});

export interface TimelineEntry {
  at: string;
  /** The automation's name, and why it began. */
  cause: string;
  change: string;
}

/** What automations added to a pull request, as its description shows it: oldest first, with what the job adds now. */
export async function timelineOf(
  database: Database,
  { id, title }: Pick<Job, 'id' | 'title'>,
): Promise<TimelineEntry[]> {
  const rows = await database
    .selectFrom('agent_automation_runs as run')
    .innerJoin('agent_automations as automation', 'automation.id', 'run.automation_id')
    .innerJoin('agent_instructions as said', (join) =>
      join
        .onRef('said.job_id', '=', 'run.job_id')
        .onRef('said.seq', '=', 'run.instruction')
        .on('said.taken_at', 'is not', null),
    )
    .select(['run.created_at', 'run.cause_text', 'run.change', 'automation.name'])
    .where('run.job_id', '=', id)
    .where('run.outcome', 'in', ['started', 'added'])
    .orderBy('run.id')
    .execute();
  return rows.map(({ created_at: at, cause_text: why, change, name }) => ({
    at,
    cause: `${name}: ${why}`,
    change: change ?? title ?? '',
  }));
}
