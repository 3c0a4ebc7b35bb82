/**
 * Runs of automations:
 *
 *   due (a row) > what's new? > a run (a row) > find > nothing, or a job's instruction > the job ends > history
 *
 * Each arrow is one transaction on a row that one process holds, so that whatever dies in between, the same
 * cause begins one run, and a run instructs a job once.
 */
import { failureTable } from '@docent/shared/agent-failures';
import type { AutomationTask } from '@docent/shared/automations';
import type { Actor } from '../../platform/auth/caller.ts';
import { atSameHost } from '../code/at-host.ts';
import { DocentError, JobError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { createLoop } from '../../platform/loop.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { dayMs, hourMs } from '../../platform/time.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import type { Forges } from '../forge/create-forges.ts';
import { toInstruction } from '../jobs/instructions.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { findJob } from '../jobs/read-jobs.ts';
import { activeStates } from '../jobs/states.ts';
import { codeSpan, modestMarkdown, neutralMarkdown } from '../publish/neutral-text.ts';
import { createFind, type FindDeps, type Found } from './find.ts';
import {
  type AutomationRow,
  type Memory,
  memoryOf,
  nextAfter,
  type Rows,
  type RunRow,
  taskOf,
  triggerOf,
} from './rows.ts';

const lookEveryMs = 2_000;
const atOnce = 10;
const workers = 3;
/** A process holds a run for so long, and says so again while it works on it. */
const heldSeconds = 60;
const maxLookMs = 15 * 60_000;
/** What can't be looked at now is looked at again after these seconds. */
const pauses = [10, 60, 300, 1_800];
const maxKnown = 5_000;
const maxKept = 500;
const remindAfterMs = 3 * dayMs;
const maxInComment = 10;
const maxCommits = 20;
const maxAuthors = 3;

export interface RunsDeps extends FindDeps {
  store: Pick<Store, 'database' | 'clock'>;
  jobs: Pick<Jobs, 'create' | 'instruct'>;
  forges: Pick<Forges, 'forProject'>;
  projects: Pick<Projects, 'byId'>;
  log: Pick<Logger, 'error' | 'warn'>;
}

/** Another process went further with this run. */
class Overtaken extends Error {}
/** Too many pull requests are open. */
class Capped extends Error {}

export function createAutomationRuns(deps: RunsDeps, rows: Rows) {
  const { store, jobs, forges, projects, log } = deps;
  const { database, clock } = store;
  const { find, markOf } = createFind(deps);
  const stopping = new AbortController();
  const loop = createLoop({
    work: look,
    onError: (err) => log.error({ err }, 'automations could not be looked at'),
    everyMs: lookEveryMs,
  });
  const reminders = createLoop({
    work: remind,
    onError: (err) => log.error({ err }, 'people could not be reminded of pull requests'),
    everyMs: hourMs,
  });

  /** Begins runs of what is due. Of several processes, one does. */
  async function fire(row: AutomationRow): Promise<void> {
    const project = projects.byId(row.project);
    const trigger = triggerOf(row);
    const now = await rows.now();
    // A project that is gone may come back.
    const next = nextAfter(trigger, now)?.toISOString() ?? null;
    const claim = (tx: Database) =>
      tx
        .updateTable('agent_automations')
        .set({ next_at: next })
        .where('id', '=', row.id)
        .where('next_at', '=', row.next_at)
        .where('is_paused', '=', 0)
        .returning('id')
        .executeTakeFirst();
    if (trigger.on === 'schedule' && project) {
      const at = row.next_at ?? '';
      await database.transaction().execute(async (tx) => {
        if (!(await claim(tx))) return;
        await rows.begin(tx, row.id, { key: `schedule ${at}`, text: `Due at ${at}` });
      });
      return;
    }
    if (!(await claim(database)) || trigger.on !== 'change' || !project) return;
    const look = { project, task: taskOf(row), memory: memoryOf(row), now, signal: limited() };
    const mark = await markOf(look, trigger.count).catch((error: unknown) => {
      if (stopping.signal.aborted) return undefined;
      // A run says what is wrong, once a day.
      if (isSaid(error)) return 'unreadable';
      throw error;
    });
    if (mark === undefined || mark === look.memory.mark) return;
    await database.transaction().execute(async (tx) => {
      const held = await lockRow(tx, row.id);
      if (!held) return;
      await rows.remember(tx, row.id, { ...memoryOf(held), mark });
      // What failed or was too much is looked at again another day.
      const key = `new ${mark} ${now.toISOString().slice(0, 10)}`;
      await rows.begin(tx, row.id, { key, text: newWords[look.task.about] });
    });
  }

  const limited = () => AbortSignal.any([AbortSignal.timeout(maxLookMs), stopping.signal]);

  const lockRow = (tx: Database, id: string) =>
    tx
      .selectFrom('agent_automations')
      .selectAll()
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirst();

  async function step(run: RunRow): Promise<void> {
    const row = await rows.read(run.automation_id);
    const project = row && projects.byId(row.project);
    if (!row || !project) {
      const reason = 'The project is no longer configured.';
      await rows.end(database, run, { outcome: 'failed', reason });
      return;
    }
    const held = setInterval(
      () => {
        rows.postpone(run.id, heldSeconds, run.attempts).catch(() => undefined);
      },
      (heldSeconds * 1000) / 3,
    );
    try {
      if (run.outcome === null) await begin(row, project, run);
      else await finish(row, project, run);
    } catch (error) {
      if (!stopping.signal.aborted) await settleAfter(run, error);
    } finally {
      clearInterval(held);
    }
  }

  async function settleAfter(run: RunRow, error: unknown): Promise<void> {
    if (error instanceof Overtaken) return;
    const pause = pauses[run.attempts];
    if (!isSaid(error)) log.error({ err: error, run: run.id }, 'a run of an automation failed');
    if (pause !== undefined && isPassing(error)) {
      await rows.postpone(run.id, pause, run.attempts + 1);
      return;
    }
    const reason = isSaid(error) ? error.message : 'Something went wrong; the log says what.';
    await database.transaction().execute(async (tx) => {
      if (!(await rows.end(tx, run, { outcome: run.outcome ?? 'failed', reason }))) return;
      if (run.outcome === null) await forgetMark(tx, run.automation_id);
    });
  }

  /** Looks, and instructs a job if there is something to do. */
  async function begin(row: AutomationRow, project: Project, run: RunRow): Promise<void> {
    const memory = memoryOf(row);
    const now = await rows.now();
    const found = await find({ project, task: taskOf(row), memory, now, signal: limited() });
    const known = new Set(memory.known);
    const fresh = found.findings.filter(({ key }) => !known.has(key));
    const trigger = triggerOf(row);
    const wanted = trigger.on === 'change' ? trigger.count : 1;
    const history = {
      read: JSON.stringify(found.read),
      findings: JSON.stringify(fresh.slice(0, maxKept).map(({ text }) => text)),
    };
    const settle = async (outcome: 'nothing' | 'capped', reason: string, isSeen: boolean) => {
      await database.transaction().execute(async (tx) => {
        const ended = await rows.end(tx, run, { ...history, outcome, reason });
        if (ended && isSeen) await rememberFound(tx, row.id, found);
        if (ended && outcome === 'capped') await forgetMark(tx, row.id);
      });
    };
    if (fresh.length === 0) {
      const reason =
        found.findings.length === 0
          ? found.nothing
          : `Nothing new: it has dealt with ${found.findings.length === 1 ? 'the one finding' : `all ${found.findings.length} findings`} before${(await pullOf(row)) ?? ''}.`;
      await settle('nothing', [found.note, reason].filter(Boolean).join(' '), true);
      return;
    }
    if (fresh.length < wanted) {
      await settle('nothing', `${fresh.length} of the ${wanted} that it waits for.`, false);
      return;
    }
    const told = await found.toTask(fresh, row.instruction);
    const cause = `${row.name}, ${now.toISOString().slice(0, 10)}: ${run.cause_text}.`;
    const prompt = told.prompt === undefined ? undefined : `${cause}\n\n${told.prompt}`;
    const by: Actor = { kind: 'automation', id: row.id };
    const earlier = row.job_id === null ? undefined : await findJob(database, row.job_id);
    const isOpen = earlier?.status === 'active' || (earlier?.pull && earlier.pullState === 'open');
    if (earlier && isOpen && earlier.archivedAt !== null) {
      const reason = `Its pull request ${earlier.pull?.url ?? ''} is open, and the job is archived: merge or close it.`;
      await settle('capped', reason, false);
      return;
    }
    const note = (outcome: 'started' | 'added') => async (tx: Database, jobId: string) => {
      await lockUntilCommit(tx, `automations of ${project.id}`);
      if (
        outcome === 'started' &&
        (await countOpen(tx, project.id)) >= project.automations.maxOpen
      ) {
        throw new Capped();
      }
      await rememberFound(tx, row.id, found, fresh);
      await told.onMade?.(tx, jobId);
      await noteJob(tx, row.id, run, {
        ...history,
        outcome,
        job_id: jobId,
        reason: found.note ?? null,
        commit_before: earlier?.publishedCommit ?? null,
        memory_before: row.memory,
      });
    };
    const fields = { prompt, command: told.command };
    try {
      if (earlier && isOpen) {
        await jobs.instruct(project.id, earlier.id, { ...fields, by }, note('added'));
        return;
      }
      await jobs.create(
        {
          project,
          origin: 'automation',
          by,
          instructions: [toInstruction(fields)],
          isDraft: row.as_draft === 1,
          needsEvidence: taskOf(row).about === 'drift',
        },
        note('started'),
      );
    } catch (error) {
      if (!(error instanceof Capped)) throw error;
      const { maxOpen } = project.automations;
      await settle(
        'capped',
        `${maxOpen} pull requests of automations are open, which is the limit of the project (\`automations.maxOpen\`). It looks again next time.`,
        false,
      );
    }
  }

  /** In the transaction that instructs the job. */
  async function noteJob(tx: Database, id: string, run: RunRow, change: Partial<RunRow>) {
    const { seq } = await tx
      .selectFrom('agent_instructions')
      .select(({ fn }) => fn.max('seq').as('seq'))
      .where('job_id', '=', change.job_id ?? '')
      .executeTakeFirstOrThrow();
    const { numUpdatedRows } = await tx
      .updateTable('agent_automation_runs')
      .set({ ...change, instruction: seq, attempts: 0, due_at: clock() })
      .where('id', '=', run.id)
      .where('outcome', 'is', null)
      .where('due_at', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Overtaken();
    await tx
      .updateTable('agent_automations')
      .set({ job_id: change.job_id ?? null })
      .where('id', '=', id)
      .execute();
  }

  /** The same is something new again. */
  async function forgetMark(tx: Database, id: string): Promise<void> {
    const row = await lockRow(tx, id);
    if (!row) return;
    const { mark: _, ...rest } = memoryOf(row);
    await rows.remember(tx, id, rest);
  }

  /** Findings are known for as long as they are found. */
  async function rememberFound(
    tx: Database,
    id: string,
    found: Found,
    fresh: Found['findings'] = [],
  ): Promise<void> {
    const row = await lockRow(tx, id);
    if (!row) return;
    const memory = memoryOf(row);
    const now = new Set(found.findings.map(({ key }) => key));
    const kept = (memory.known ?? []).filter((key) => now.has(key));
    const known = [...kept, ...fresh.map(({ key }) => key)].slice(-maxKnown);
    await rows.remember(tx, id, { ...memory, known, ...found.memory });
  }

  async function pullOf(row: AutomationRow): Promise<string | undefined> {
    const job = row.job_id === null ? undefined : await findJob(database, row.job_id);
    return job?.pull
      ? `, last in pull request #${job.pull.number}, which is ${job.pullState}`
      : undefined;
  }

  /** Jobs of automations that work, or whose pull request is open. */
  async function countOpen(tx: Database, project: string): Promise<number> {
    const { open } = await tx
      .selectFrom('agent_jobs')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('project', '=', project)
      .where('origin', '=', 'automation')
      .where((or) =>
        or.or([
          or('state', 'in', [...activeStates]),
          or.and([or('pull_number', 'is not', null), or('pull_state', '=', 'open')]),
        ]),
      )
      .executeTakeFirstOrThrow();
    // The new one is among them.
    return Number(open) - 1;
  }

  /** Notes what came of a run, once its job has ended. */
  async function finish(row: AutomationRow, project: Project, run: RunRow): Promise<void> {
    const job = await findJob(database, run.job_id ?? '');
    if (!job) {
      await rows.end(database, run, { outcome: 'failed', reason: 'Its job was deleted.' });
      return;
    }
    const said = await database
      .selectFrom('agent_instructions')
      .select('taken_at')
      .where('job_id', '=', job.id)
      .where('seq', '=', run.instruction)
      .executeTakeFirst();
    if (job.status === 'active' || (job.failure === null && said?.taken_at === null)) {
      await rows.postpone(run.id, lookEveryMs / 2_000);
      return;
    }
    if (job.failure) {
      const { title, message } = job.failure;
      await endWithout(row, run, 'failed', `${title}: ${message}`);
      return;
    }
    const isChanged = job.publishedCommit !== null && job.publishedCommit !== run.commit_before;
    if (!isChanged) {
      const reason = [run.reason, job.message].filter(Boolean).join(' ');
      await endWithout(row, run, 'nothing', reason);
      return;
    }
    if (run.outcome === 'added' && job.pull) {
      const findings = JSON.parse(run.findings) as string[];
      const body = [
        `${codeSpan(row.name)} added to this pull request: ${neutralMarkdown(run.cause_text)}.`,
        findings
          .slice(0, maxInComment)
          .map((text) => `- ${neutralMarkdown(text)}`)
          .join('\n'),
        modestMarkdown(job.message ?? ''),
      ].join('\n\n');
      await say(project, job.pull.number, { id: run.id, body, since: run.created_at });
    }
    if (job.pull) await askAuthors(project, taskOf(row), run, job.pull.number);
    const { outcome } = run;
    if (outcome === null) return;
    const { publishedCommit, title } = job;
    await rows.end(database, run, { outcome, commit_made: publishedCommit, change: title });
  }

  /**
   * Ends a run whose job has changed nothing. After a failure, the next run finds the same again; also what a
   * branch lacks that is broken on the base branch, until the pull request is merged.
   */
  async function endWithout(
    row: AutomationRow,
    run: RunRow,
    outcome: 'nothing' | 'failed',
    reason: string,
  ): Promise<void> {
    await database.transaction().execute(async (tx) => {
      if (!(await rows.end(tx, run, { outcome, reason }))) return;
      const isLacking = run.outcome === 'added' && taskOf(row).about === 'links';
      if (run.memory_before === null || (outcome === 'nothing' && !isLacking)) return;
      const now = await lockRow(tx, row.id);
      const [newest] = await rows.list(row.id, { take: 1 }, tx);
      if (!now || newest?.id !== run.id) return;
      const { mark } = memoryOf(now);
      const before = JSON.parse(run.memory_before) as Memory;
      await rows.remember(tx, row.id, { ...before, ...(mark !== undefined && { mark }) });
    });
  }

  /** Asks those who changed the code for a review. The pull request is right without it. */
  async function askAuthors(project: Project, task: AutomationTask, run: RunRow, pull: number) {
    const [from, to] = JSON.parse(run.read) as Found['read'];
    if (!('repository' in task) || task.about === 'release' || !from?.commit || !to?.commit) return;
    const { talk } = forges.forProject(project);
    const { repository = '' } = project.code.find(({ name }) => name === task.repository) ?? {};
    const at = atSameHost(project, repository);
    if (!talk || !at) return;
    const signal = limited();
    const asked = new Set<string>();
    try {
      const code = await deps.openCode(project, task.repository, signal);
      const { commits } = await code.changeSince(from.commit, to.commit);
      for (const { id: commit } of commits.slice(0, maxCommits)) {
        const author = await talk.authorOf({ ...at, commit }, signal);
        if (!author || asked.has(author.login) || asked.size === maxAuthors) continue;
        asked.add(author.login);
        await talk.askForReview(pull, author.login, signal).catch((err: unknown) => {
          log.warn({ err, pull, person: author.login }, 'somebody couldn’t be asked for a review');
        });
      }
    } catch (err) {
      if (stopping.signal.aborted) throw err;
      log.warn({ err, pull }, 'authors of code couldn’t be asked for a review');
    }
  }

  /** Comments once, where the host has comments. */
  async function say(
    project: Project,
    pull: number,
    { id, body, since }: { id: string; body: string; since: string },
  ): Promise<void> {
    const { talk } = forges.forProject(project);
    await talk?.answer({ pull }, { body, mark: `<!-- docent:${id} -->`, since }, limited());
  }

  /** A pull request that has been open for days without anything happening, once. */
  async function remind(): Promise<void> {
    const now = await rows.now();
    const old = new Date(now.getTime() - remindAfterMs).toISOString();
    const due = await database
      .selectFrom('agent_automations as one')
      .innerJoin('agent_jobs as job', 'job.id', 'one.job_id')
      .select(['one.id', 'one.project', 'one.reminded', 'job.pull_number', 'job.finished_at'])
      .where('job.pull_state', '=', 'open')
      .where('job.state', 'in', ['completed', 'failed'])
      .where('job.finished_at', '<', old)
      .where((or) =>
        or.or([
          or('one.reminded', 'is', null),
          or('one.reminded', '!=', or.ref('job.pull_number')),
        ]),
      )
      .limit(atOnce)
      .execute();
    for (const { id, project: name, pull_number: pull, reminded, finished_at: since } of due) {
      const project = projects.byId(name);
      const rows = database.updateTable('agent_automations').set({ reminded: pull });
      const mine = await rows
        .where('id', '=', id)
        .where('reminded', reminded === null ? 'is' : '=', reminded)
        .executeTakeFirst();
      if (mine.numUpdatedRows === 0n || !project || pull === null) continue;
      const body =
        'Nothing has happened here for three days. Merge or close this pull request, or say what is missing. What is closed isn’t proposed again.';
      try {
        await say(project, pull, { id: `${id} ${pull}`, body, since: since ?? '' });
      } catch (err) {
        log.error({ err, project: name, pull }, 'nobody could be reminded of a pull request');
      }
    }
  }

  /** A run is taken when its step begins, so that it isn't held while others are looked at. */
  async function takeSteps(): Promise<void> {
    for (let count = 0; count < atOnce && !stopping.signal.aborted; count += 1) {
      const [run] = await rows.take(1, heldSeconds);
      if (!run) return;
      await step(run);
    }
  }

  async function look(): Promise<void> {
    for (const row of await rows.due(atOnce)) {
      if (stopping.signal.aborted) return;
      await fire(row).catch((err: unknown) =>
        log.error({ err, automation: row.id }, 'an automation could not be looked at'),
      );
    }
    await Promise.all(Array.from({ length: workers }, takeSteps));
  }

  return {
    look,
    remind,
    wake: () => void loop.wake(),
    start(): void {
      loop.start();
      reminders.start();
    },

    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([loop.stop(), reminders.stop()]);
    },
  };
}

const newWords: Record<AutomationTask['about'], string> = {
  links: 'The documentation has changed',
  gaps: 'There are new gaps',
  ratings: 'There are new bad ratings',
  stale: 'A month has begun',
  code: 'The code has changed',
  drift: 'The code has changed',
  release: 'There are new tags',
  words: '',
};

const isSaid = (error: unknown): error is Error =>
  error instanceof DocentError || error instanceof JobError;

/** What may be over soon, such as a host that can't be reached. */
function isPassing(error: unknown): boolean {
  if (error instanceof DocentError) return error.code === 'unavailable';
  return !(error instanceof JobError) || failureTable[error.code].retryable;
}
