/**
 * What becomes of the pull requests of jobs. It's kept in the jobs' rows, so that no view has to ask a host:
 * this asks from time to time, and actions on a pull request of our own note it at once.
 */
import type { Logger } from '../../platform/log.ts';
import { createLoop } from '../../platform/loop.ts';
import { dayMs, hourMs, minuteMs } from '../../platform/time.ts';
import type { Database } from '../../platform/store/database.ts';
import type { MergedJobs, Projects } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';

/** A host allows few questions an hour, and a page that somebody looks at shall be up to date soon. */
const lookEveryMs = 15_000;
const maxLooks = 20;
const maxHostMs = 10_000;

export interface PullStatesDeps {
  database: Database;
  forges: Pick<Forges, 'forProject'>;
  projects: Pick<Projects, 'find'>;
  now: () => Date;
  log: Pick<Logger, 'debug' | 'error'>;
  /** Called in the transaction that notes a merge, perhaps more than once. */
  onMerged?: ((tx: Database, merged: MergedJobs) => Promise<void>) | undefined;
}

interface Seen {
  state: 'open' | 'merged' | 'closed';
  endedAt?: string | undefined;
}

export type PullStates = ReturnType<typeof createPullStates>;

export function createPullStates(deps: PullStatesDeps) {
  const { database, forges, projects, now, log } = deps;
  const stopping = new AbortController();

  /** When to ask again: often in the first day. A closed one may be reopened; a merged one stays merged. */
  function dueAfter(createdAt: string, state: Seen['state']): string | null {
    if (state === 'merged') return null;
    const isYoung = now().getTime() - Date.parse(createdAt) < dayMs;
    const ms = state === 'closed' ? hourMs : isYoung ? minuteMs : 10 * minuteMs;
    return new Date(now().getTime() + ms).toISOString();
  }

  /** `isOurs`: it ended by our clock. */
  async function note(
    project: string,
    number: number,
    { state, endedAt }: Seen,
    isOurs = false,
  ): Promise<void> {
    const isMerged = state === 'merged';
    await database.transaction().execute(async (tx) => {
      const rows = await tx
        .updateTable('agent_jobs')
        .set({ pull_state: state, pull_ended_at: endedAt ?? null })
        .$if(isMerged, (rows) => rows.set({ pull_due_at: null }))
        .where('project', '=', project)
        .where('pull_number', '=', number)
        .returning(['id', 'base_branch'])
        .execute();
      if (!isMerged || rows.length === 0) return;
      await deps.onMerged?.(tx, {
        project,
        number,
        base: rows[0]?.base_branch ?? undefined,
        // A host's clock may differ from ours, by which index runs begin.
        at: isOurs && endedAt !== undefined ? endedAt : now().toISOString(),
        jobIds: rows.map(({ id }) => id),
      });
    });
  }

  /** Asks the hosts of those that are due; returns how many. Of several processes, one asks. */
  async function look(): Promise<number> {
    const due = await database
      .selectFrom('agent_jobs')
      .select(['id', 'project', 'pull_number', 'pull_state', 'pull_due_at', 'created_at'])
      .where('pull_due_at', '<=', now().toISOString())
      .orderBy('pull_due_at')
      .limit(maxLooks)
      .execute();
    let asked = 0;
    for (const { id, project: name, pull_number: number, ...row } of due) {
      if (stopping.signal.aborted) break;
      const project = await projects.find(name);
      const { numUpdatedRows } = await database
        .updateTable('agent_jobs')
        .set({ pull_due_at: project ? dueAfter(row.created_at, row.pull_state ?? 'open') : null })
        .where('id', '=', id)
        .where('pull_due_at', '=', row.pull_due_at)
        .executeTakeFirst();
      if (numUpdatedRows === 0n || !project || number === null) continue;
      asked += 1;
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(maxHostMs), stopping.signal]);
        const found = await forges.forProject(project).readPullRequest(number, signal);
        if (found) await note(project.id, number, found);
      } catch (err) {
        // It's asked again when it's due.
        log.debug({ err, project: name, number }, 'the state of a pull request is unknown');
      }
    }
    return asked;
  }

  const loop = createLoop({
    work: look,
    everyMs: lookEveryMs,
    onError: (err) => log.error({ err }, 'pull requests could not be looked at'),
  });

  return {
    note,
    look,

    /** The host says that something happened. */
    async askSoon(project: string, number: number): Promise<void> {
      await database
        .updateTable('agent_jobs')
        .set({ pull_due_at: now().toISOString() })
        .where('project', '=', project)
        .where('pull_number', '=', number)
        .execute();
      void loop.wake();
    },

    start: () => loop.start(),
    async stop(): Promise<void> {
      stopping.abort();
      await loop.stop();
    },
  };
}
