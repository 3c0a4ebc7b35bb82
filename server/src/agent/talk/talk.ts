/**
 * Pull requests that talk. What a host tells us becomes an instruction of the pull request's job, once, and
 * what came of it an answer in the same thread:
 *
 *   receive (a row) > step: who said it, may they? > the job's instruction > the job ends > answer
 */
import type { Actor } from '../../platform/auth/caller.ts';
import { DocentError, JobError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { createLoop } from '../../platform/loop.ts';
import { minuteMs } from '../../platform/time.ts';
import type { Store } from '../../platform/store/database.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Forges } from '../forge/create-forges.ts';
import type { Thread } from '../forge/talk.ts';
import { type Job, toJob } from '../jobs/job.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { jobOfPull } from '../jobs/read-jobs.ts';
import type { PullStates } from '../pulls/pull-states.ts';
import { modestMarkdown, neutralMarkdown, shorten } from '../publish/neutral-text.ts';
import { createHostEvents, eventOf, type HostEventRow } from './events.ts';
import type { HostEvent, ReadEvent } from './read-event.ts';
import { checksPrompt, isForUs, toPrompt } from './remarks.ts';

const lookEveryMs = 2_000;
const atOnce = 20;
const maxHostMs = 30_000;
/** A host that can't be asked is asked again after these. */
const pausesMs = [10_000, minuteMs, 5 * minuteMs, 30 * minuteMs];
const maxAnswer = 20_000;
/** How often failed checks go back to the agent. Then a person is asked. */
const maxRepairs = 2;

export type Talks = ReturnType<typeof createTalks>;

interface TalkDeps {
  store: Pick<Store, 'database' | 'clock'>;
  jobs: Pick<Jobs, 'instruct'>;
  forges: Pick<Forges, 'forProject'>;
  pullStates: Pick<PullStates, 'askSoon'>;
  projects: Pick<Projects, 'find'>;
  sites: Pick<Sites, 'builtFrom'>;
  /** Sites are read again soon, by one process. */
  index: (domains: readonly string[]) => Promise<void>;
  now: () => Date;
  log: Pick<Logger, 'info' | 'error'>;
}

type AboutPull = Exclude<HostEvent, { kind: 'push' }>;

/** Whom a delivery is for. */
interface Receiver {
  hook: string;
  /** Undefined: the repository is none of a project. */
  project: Project | undefined;
  /** The address of the repository; empty: it's none of ours. */
  repository: string;
  organization: string;
  mention: string;
}

/** Why nothing came of an event. */
class Ignored extends Error {}

export function createTalks(deps: TalkDeps) {
  const { store, jobs, forges, pullStates, projects, sites, now, log } = deps;
  const { database } = store;
  const events = createHostEvents({ store, now });
  const stopping = new AbortController();
  const loop = createLoop({
    work: look,
    onError: (err) => log.error({ err }, 'events of hosts could not be read'),
    everyMs: lookEveryMs,
  });

  function talkOf(project: Project) {
    const { conversation } = project;
    const forge = forges.forProject(project);
    if (conversation === undefined || forge.talk === undefined) {
      throw new Ignored('The project has no “conversation” with its host.');
    }
    return { conversation, forge, talk: forge.talk };
  }

  /** What a delivery means. Of those who don't name us, no words are kept. */
  function chosen(
    { event }: ReadEvent,
    { project, repository, organization, mention }: Receiver,
  ): ReadEvent['event'] {
    if (typeof event !== 'string' && event.kind === 'push') {
      const index = sites.builtFrom(repository, event.branch, { ...event, organization });
      return index.length > 0
        ? { ...event, index }
        : `No site is built from the branch “${event.branch}” of this repository.`;
    }
    if (project === undefined && typeof event !== 'string') {
      return 'It’s about another repository.';
    }
    if (typeof event === 'string' || !('text' in event) || isForUs(event.text, mention)) {
      return event;
    }
    return `It doesn’t mention @${mention}.`;
  }

  /** The event's job, and what it's asked to do. */
  async function understand(
    project: Project,
    event: Exclude<AboutPull, { kind: 'pull' }>,
    row: HostEventRow,
    signal: AbortSignal,
  ): Promise<{ job: Job; thread: Thread } & ({ prompt: string; by: Actor } | { refusal: string })> {
    const { conversation, forge, talk } = talkOf(project);
    if (event.kind === 'checks') {
      if (!conversation.repairChecks) throw new Ignored('“repairChecks” is off.');
      const job = await jobOfCommit(project.id, event.commit);
      // Whoever pushed last takes care of the checks.
      if (!job?.pull) throw new Ignored('The commit isn’t ours.');
      const pull = await forge.readPullRequest(job.pull.number, signal);
      if (pull?.state !== 'open') throw new Ignored('The pull request isn’t open.');
      if (pull.head.commit !== event.commit) throw new Ignored('There is a newer commit.');
      const thread = { pull: job.pull.number };
      const repairs = await events.count(row, 'checks', job.id);
      if (repairs > maxRepairs) throw new Ignored('A person was asked already.');
      const checks = await talk.failedChecks(event.commit, signal);
      if (checks.length === 0) throw new Ignored('No check of this commit failed.');
      const names = checks.map(({ name }) => name).join(', ');
      if (repairs === maxRepairs) {
        const refusal = `Checks still fail after ${maxRepairs} attempts to repair them (${names}). A person has to look at them.`;
        return { job, refusal, thread };
      }
      return { job, thread, prompt: checksPrompt(checks), by: { kind: 'host', id: 'checks' } };
    }
    const job = await jobOfPull(database, project.id, event.pull);
    if (!job) throw new Ignored('No job made this pull request.');
    if (!(await talk.mayWrite(event.author, signal))) {
      throw new Ignored(`${event.author.login} may not write to the repository.`);
    }
    const { remarks, thread } = await saidIn(project, event, signal);
    const count = await events.count(row, 'said', job.id);
    if (count > conversation.maxMessages) throw new Ignored('The limit of messages is reached.');
    if (count === conversation.maxMessages) {
      const refusal = `This pull request has had ${count} messages, which is the limit of the project. Continue in the dashboard of Docent.`;
      return { job, refusal, thread };
    }
    const { login } = event.author;
    return { job, thread, prompt: toPrompt(remarks, login), by: { kind: 'host', id: login } };
  }

  async function saidIn(
    project: Project,
    event: Extract<HostEvent, { kind: 'comment' | 'review' }>,
    signal: AbortSignal,
  ) {
    const { pull, text, author } = event;
    if (event.kind === 'review') {
      return talkOf(project).talk.readReview({ pull, id: event.review, author, text }, signal);
    }
    return { remarks: [{ text, at: event.at }], thread: { pull, id: event.thread } };
  }

  async function jobOfCommit(project: string, commit: string): Promise<Job | undefined> {
    const row = await database
      .selectFrom('agent_jobs')
      .selectAll()
      .where('project', '=', project)
      .where('published_commit', '=', commit)
      .orderBy('id', 'desc')
      .executeTakeFirst();
    return row && toJob(row);
  }

  /** Instructs the job of an event, or says why it doesn't. */
  async function begin(project: Project, row: HostEventRow, event: AboutPull, signal: AbortSignal) {
    if (event.kind === 'pull') {
      // Deliveries may come in any order, so the host is asked what is true now.
      await pullStates.askSoon(project.id, event.pull);
      await events.settle(row.id, 'done', null);
      return;
    }
    const { job, thread, ...read } = await understand(project, event, row, signal);
    const refuse = async (refusal: string) => {
      await sayOnce(project, thread, neutralMarkdown(refusal), row, signal);
      await events.settle(row.id, 'ignored', refusal, job.id);
    };
    if ('refusal' in read) {
      await refuse(read.refusal);
      return;
    }
    try {
      await jobs.instruct(
        project.id,
        job.id,
        { ...read, idempotencyKey: `host ${row.id}` },
        (tx, jobId) => events.noteInstruction(tx, row.id, jobId),
      );
    } catch (error) {
      // An archived job, a busy branch, a project without a model: the sentence says which.
      if (!(error instanceof DocentError) || error.code === 'unavailable') throw error;
      await refuse(error.message);
    }
  }

  /** Answers where the event was, once its job has ended. */
  async function finish(
    project: Project,
    row: HostEventRow,
    event: AboutPull,
    signal: AbortSignal,
  ) {
    const said = await database
      .selectFrom('agent_jobs')
      .innerJoin('agent_instructions', 'agent_instructions.job_id', 'agent_jobs.id')
      .selectAll('agent_jobs')
      .select('taken_at')
      .where('agent_jobs.id', '=', row.job_id)
      .where('seq', '=', row.instruction)
      .executeTakeFirst();
    if (!said || event.kind === 'pull') throw new Ignored('Its job was deleted.');
    const { taken_at: takenAt, ...jobRow } = said;
    const job = toJob(jobRow);
    if (job.status === 'active' || (job.failure === null && takenAt === null)) {
      await events.postpone(row.id, lookEveryMs / 2);
      return;
    }
    const thread =
      event.kind === 'checks'
        ? { pull: job.pull?.number ?? 0 }
        : (await saidIn(project, event, signal)).thread;
    const body =
      job.failure === null
        ? modestMarkdown(job.message ?? 'Done.')
        : `I couldn’t do this. ${neutralMarkdown(job.failure.message)} ${neutralMarkdown(job.failure.remedy)}`;
    await sayOnce(project, thread, body, row, signal);
    await events.settle(row.id, 'done', job.failure?.title ?? null);
  }

  async function sayOnce(
    project: Project,
    thread: Thread,
    body: string,
    row: HostEventRow,
    signal: AbortSignal,
  ): Promise<void> {
    const { talk } = talkOf(project);
    const mark = `<!-- docent:${row.id} -->`;
    const answer = { body: shorten(body, maxAnswer), mark, since: row.created_at };
    await talk.answer(thread, answer, signal);
  }

  /** Once the pushes have been quiet for a while. */
  async function indexSites(row: HostEventRow, domains: readonly string[]): Promise<void> {
    const isFollowed = await events.isFollowed(row);
    if (!isFollowed) await deps.index(domains);
    const reason = isFollowed ? 'The push after it counts.' : `Indexing ${domains.join(', ')}.`;
    await events.settle(row.id, 'done', reason);
  }

  async function step(row: HostEventRow): Promise<void> {
    const project = await projects.find(row.project);
    const event = eventOf(row);
    const signal = AbortSignal.any([AbortSignal.timeout(maxHostMs), stopping.signal]);
    try {
      if (event?.kind === 'push') await indexSites(row, event.index ?? []);
      else if (!project || !event) throw new Ignored('The project is gone.');
      else if (row.status === 'waiting') await begin(project, row, event, signal);
      else await finish(project, row, event, signal);
    } catch (error) {
      if (stopping.signal.aborted) return;
      await settleAfter(row, error);
    }
  }

  async function settleAfter(row: HostEventRow, error: unknown): Promise<void> {
    if (error instanceof Ignored) {
      await events.settle(row.id, 'ignored', error.message);
      return;
    }
    const pause = pausesMs[row.attempts];
    const isSaid = error instanceof DocentError || error instanceof JobError;
    if (!isSaid) log.error({ err: error, event: row.id }, 'an event of a host failed');
    if (pause !== undefined) await events.postpone(row.id, pause, row.attempts + 1);
    else
      await events.settle(
        row.id,
        'failed',
        isSaid ? error.message : 'Something went wrong; the log says what.',
      );
  }

  /** One step of each event that is due; returns how many. */
  async function look(): Promise<number> {
    const taken = await events.take(atOnce);
    for (const row of taken) {
      if (stopping.signal.aborted) break;
      await step(row);
    }
    return taken.length;
  }

  return {
    look,
    list: (project: string) => events.list(project),
    deleteOld: () => events.deleteOld(),

    async receive(receiver: Receiver, read: ReadEvent) {
      const name = receiver.project?.id ?? receiver.hook;
      const row = await events.receive(name, { ...read, event: chosen(read, receiver) });
      void loop.wake();
      return row;
    },

    start: () => loop.start(),

    async stop(): Promise<void> {
      stopping.abort();
      await loop.stop();
    },
  };
}
