/** One round of a job: begin, work, judge, publish, complete. After each the row says so; it may begin at any of them. */
import type { AgentEvent } from '@docent/shared/agent-events';
import { createDocsCheck } from '../checks/docs-check.ts';
import { JobError } from '../../platform/errors.ts';
import { createFileSet, type FileSet, type SavedEdit } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import type { FileChange } from '../workspace/tree.ts';
import type { Forge } from '../forge/forge.ts';
import { publish } from '../publish/publish.ts';
import {
  type AgentModel,
  type AgentModels,
  builtInName,
} from '../../platform/models/agent-models.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import type { Database } from '../../platform/store/database.ts';
import { type Job, type JobRow, toJob } from '../jobs/job.ts';
import { rulesOfJob } from '../jobs/rules-of-job.ts';
import type { LoopEnd, LoopInput } from '../loop/loop.ts';
import { type Budgets, createBudgets, type Used } from './budgets.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { LiveEvents } from './live-events.ts';
import { prepareRound } from './prepare.ts';
import { type RunControl, Stopping } from './runner.ts';
import { createEditRows, type EditRows, loadEdits } from './saved-edits.ts';
import type { Judgement } from './judge.ts';
import type { Proposal } from './propose.ts';
import { type Purse, watchModel } from './watch-model.ts';
import type { Workplace } from './workplace.ts';

/** How often a change is given back to the model with what is wrong with it. */
const mostFeedbacks = 2;
/** A job that takes its process down again and again is not tried for ever. */
const mostLosses = 3;
/** Publishing has a limit of its own: the round's would leave a pull request half made. */
const publishMs = 10 * 60_000;

export interface RoundParts {
  database: Database;
  checkpoints: Checkpoints;
  projects: Pick<Projects, 'byId'>;
  forges: { forProject(project: Project): Forge };
  models: AgentModels;
  /** What the administrator lets this job cost. */
  purse: (job: Job, model: string) => Purse;
  loop: (input: LoopInput) => Promise<LoopEnd>;
  instructions: (place: Workplace, systemTexts: readonly string[]) => Promise<string>;
  judge: (place: Workplace, changes: readonly FileChange[]) => Promise<Judgement>;
  propose: (
    place: Workplace,
    changes: readonly FileChange[],
    judged: Judgement,
  ) => Promise<Proposal>;
}

/** What a round leaves behind when it fails, as far as it came. */
export interface Round {
  row: JobRow;
  control: RunControl;
  seen: Set<string>;
  live: LiveEvents;
  budgets?: Budgets;
  work?: { files: FileSet; rows: EditRows };
  closing: (() => Promise<void>)[];
}

/** Settles when the round has ended well; gives back the row of the next one where a message has come meanwhile. */
export type RunRound = (round: Round) => Promise<JobRow | undefined>;

/** Everything is known that the agent needs. */
interface Ready extends Workplace {
  model: AgentModel;
  budgets: Budgets;
  rows: EditRows;
}

export function createRunRound(parts: RoundParts): RunRound {
  const { database, checkpoints, projects, forges, models } = parts;

  return async function runRound(round) {
    const { lease } = round.control;
    const ready = await begin(round);
    const { files, budgets } = ready;
    const work = createWork(round, ready);
    for (;;) {
      if (round.row.stage === 'work') round.row = await work();
      giveWay(round.control);
      const instructions = await checkpoints.instructions(lease.id);
      const place = { ...ready, job: toJob(round.row), instructions };
      const changes = await files.changes();
      if (changes.length === 0) {
        const { message } = place.job;
        const used = budgets.used();
        return checkpoints.completed(lease, { message, publication: undefined, used });
      }
      const judged = await parts.judge(place, changes);
      if (judged.problems.length > 0 && round.row.stage === 'review') {
        const checks = checksEvent(judged);
        if (round.row.feedbacks < mostFeedbacks) {
          round.row = await checkpoints.givenBack(lease, noticeOf(judged), [checks]);
          continue;
        }
        if (judged.failure) {
          await checkpoints.events(lease, [checks]);
          throw judged.failure;
        }
      }
      return publishRound(round, place, changes, judged);
    }
  };

  async function begin(round: Round): Promise<Ready> {
    const { lease, signal, abort } = round.control;
    // Before anything can fail: what waits then begins no round of its own.
    for (const { id } of await checkpoints.waiting(lease.id)) round.seen.add(id);
    signal.throwIfAborted();
    if (round.row.losses >= mostLosses) throw lostTooOften();
    const found = projects.byId(round.row.project);
    if (!found) throw projectGone(round.row.project);
    const project = rulesOfJob(found, toJob(round.row));
    const forge = forges.forProject(project);
    const model = await models.forName(round.row.model);
    const { limits, baseBranch } = project;
    const used = usedOf(round.row);
    const budgets = createBudgets({ limits, used, price: model.price, abort });
    round.budgets = budgets;
    round.control.runMs = () => budgets.used().runMs;

    const policy = createPathPolicy(project.paths, project.docsRoot);
    let edits: readonly SavedEdit[] = await loadEdits(database, lease.id);
    const rows = createEditRows(lease.id, edits);
    if (round.row.stage === 'prepare') {
      const start = await prepareRound(
        forge,
        round.row,
        { baseBranch, policy, edits, isBusy: checkpoints.isBusy(round.row) },
        signal,
      );
      round.row = await checkpoints.prepared(lease, { ...start, rows });
      edits = start.edits;
    }
    const tree = await forge.openTree(round.row.source_commit ?? '', signal);
    const files = createFileSet({ tree, policy, edits, signal });
    round.work = { files, rows };
    const instructions = await checkpoints.instructions(lease.id);
    const job = toJob(round.row);
    const parsed = new Map();
    return { job, project, forge, files, parsed, instructions, signal, model, budgets, rows };
  }

  /** The loop, with what it may do to the job; again where its change was given back. */
  function createWork(round: Round, ready: Ready): () => Promise<JobRow> {
    const { control, live, seen } = round;
    const { lease, signal, abort } = control;
    const { job, files, rows, budgets, model } = ready;
    const purse = parts.purse(job, model.name);
    const isBuiltIn = model.name === builtInName;
    const watched = watchModel(model.model, { budgets, purse, signal, abort, isBuiltIn });
    round.closing.push(() => watched.close());
    let denialsTold = 0;
    const newDenials = (): AgentEvent[] => {
      const fresh = files.denied.slice(denialsTold);
      denialsTold = files.denied.length;
      return fresh.map((denial) => ({ type: 'denied', ...denial }));
    };

    return async function work() {
      const { notice } = round.row;
      const texts = await checkpoints.systemTexts(lease.id);
      const end = await parts.loop({
        model: { ...model, model: watched.model },
        instructions: await parts.instructions({ ...ready, job: toJob(round.row) }, texts),
        messages: await checkpoints.conversation(lease.id),
        ...(notice !== null && { notice }),
        files,
        docsCheck: createDocsCheck({ files, project: ready.project, parsed: ready.parsed, signal }),
        todos: toJob(round.row).todos,
        signal,
        async takePrompts() {
          giveWay(control);
          const waiting = await checkpoints.waiting(lease.id);
          for (const { id } of waiting) seen.add(id);
          return waiting;
        },
        onStep: (record) =>
          live.inOrder((events) => {
            const all = [...events, ...newDenials()];
            const used = budgets.used();
            return checkpoints.step(lease, {
              record,
              rows,
              edits: files.save(),
              used,
              events: all,
            });
          }),
        onEvent: (event) => live.add(event),
      });
      return live.inOrder((events) =>
        checkpoints.finished(lease, end, budgets.used(), [...events, ...newDenials()]),
      );
    };
  }

  /** From here on only the loss of the job, or the end of the service, can stop it. */
  async function publishRound(
    round: Round,
    place: Ready,
    changes: readonly FileChange[],
    judged: Judgement,
  ): Promise<JobRow | undefined> {
    const { control } = round;
    const { job, forge, budgets } = place;
    const proposal = await parts.propose(place, changes, judged);
    giveWay(control);
    const isAgain = round.row.stage === 'publish';
    round.row = await checkpoints.publishing(control.lease, isAgain ? [] : [checksEvent(judged)]);
    budgets.close();
    const publication = await publish(
      forge,
      {
        ...proposal,
        branch: job.branch,
        baseBranch: job.baseBranch ?? '',
        source: job.sourceCommit ?? '',
        changes,
        key: `${job.id}/${job.round}`,
        isDraft: judged.isDraft,
        pullNumber: job.pull?.number,
        isBusy: checkpoints.isBusy(round.row),
      },
      AbortSignal.any([control.signal, tooLate()]),
    );
    const message = [job.message, ...publication.notes].filter(Boolean).join('\n\n') || null;
    return checkpoints.completed(control.lease, { message, publication, used: budgets.used() });
  }
}

const checksEvent = ({ report }: Judgement): AgentEvent => ({ type: 'checks', report });

/** A stop of the service is heeded between two steps. */
function giveWay({ isStopping, abort, signal }: RunControl): void {
  if (isStopping()) abort(new Stopping());
  signal.throwIfAborted();
}

function tooLate(): AbortSignal {
  const controller = new AbortController();
  const reason = new JobError('forge_unavailable', 'The pull request was not made in time.');
  setTimeout(() => controller.abort(reason), publishMs).unref();
  return controller.signal;
}

function usedOf(row: JobRow): Used {
  return {
    steps: row.steps,
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    microDollars: Number(row.micro_dollars),
    runMs: Number(row.run_ms),
  };
}

function noticeOf({ problems }: Judgement): string {
  return [
    'Your change is not proposed yet. These problems came in with it:',
    ...problems.map((problem) => `- ${problem}`),
    'Put them right, and finish again.',
  ].join('\n');
}

const lostTooOften = () =>
  new JobError('process_lost', `Its process was lost ${mostLosses} times in a row.`);

const projectGone = (project: string) =>
  new JobError('forge_not_configured', `The project “${project}” is not configured any more.`);
