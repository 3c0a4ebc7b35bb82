/** Automations as their owners see them. `run-automations.ts` says what they do. */
import type {
  Automation,
  AutomationChange,
  AutomationRun,
  NewAutomation,
} from '@docent/shared/automations';
import type { Audit } from '../../notify/audit/audit.ts';
import type { Actor } from '../../platform/auth/caller.ts';
import type { Config } from '../../platform/config/schema.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import {
  type AutomationRow,
  createRows,
  nextAfter,
  showAutomation,
  showRun,
  taskOf,
  triggerOf,
} from './rows.ts';
import { createAutomationRuns, type RunsDeps } from './run-automations.ts';
import { proposeForCode } from './propose.ts';

const maxPerProject = 50;

export interface AutomationsDeps extends RunsDeps {
  projects: Pick<Projects, 'byId' | 'all'>;
  audit: Pick<Audit, 'record'>;
  models: Config['models'];
}

export type Automations = ReturnType<typeof createAutomations>;

export function createAutomations(deps: AutomationsDeps) {
  const { store, projects, audit } = deps;
  const { database } = store;
  const rows = createRows(store);
  const runs = createAutomationRuns(deps, rows);

  /** The row if the organization may know of it. */
  async function own(id: string, organization: string): Promise<AutomationRow> {
    const row = await rows.read(id);
    if (!row || projects.byId(row.project)?.organization !== organization) {
      throw new DocentError('not_found', 'There is no automation with this id for your key.');
    }
    return row;
  }

  async function show(all: readonly AutomationRow[]): Promise<Automation[]> {
    const newest = await rows.newest(all.map(({ id }) => id));
    const pulls = await rows.pulls([...newest.values()].map(({ job_id: job }) => job));
    return all.map((row) => {
      const run = newest.get(row.id);
      return showAutomation(row, run ? showRun(run, pulls) : null);
    });
  }

  async function showOne(row: AutomationRow): Promise<Automation> {
    const [shown] = await show([row]);
    if (!shown) throw new Error('One row is one automation');
    return shown;
  }

  /** First: a job's transaction also takes the end of the trail before rows of automations. */
  const record = (tx: Database, row: AutomationRow, by: Actor, type: string, data = {}) =>
    audit.record(tx, {
      organization: projects.byId(row.project)?.organization ?? '',
      project: row.project,
      actor: by,
      type: `automation.${type}`,
      data: { id: row.id, name: row.name, ...data },
    });

  return {
    look: runs.look,
    start: () => runs.start(),
    stop: () => runs.stop(),
    remind: runs.remind,
    deleteOld: () => rows.deleteOld(),

    async list(organization: string, only?: string): Promise<Automation[]> {
      const ids = projects
        .all()
        .flatMap((one) =>
          one.organization === organization && (only ?? one.id) === one.id ? one.id : [],
        );
      const all = await database
        .selectFrom('agent_automations')
        .selectAll()
        .where('project', 'in', [...ids, ''])
        .orderBy('id')
        .execute();
      return show(all);
    },

    /** Rejects with `bad_request` or `conflict` if it could never do anything. */
    async create(project: Project, wanted: NewAutomation, by: Actor): Promise<Automation> {
      checkTask(project, wanted);
      const now = await rows.now();
      const next = nextAfter(wanted.trigger, now);
      const { name, task, trigger, instruction, asDraft } = wanted;
      const row = await database.transaction().execute(async (tx) => {
        const made = await tx
          .insertInto('agent_automations')
          .values({
            id: newId(),
            project: project.id,
            name,
            task: JSON.stringify(task),
            trigger: JSON.stringify(trigger),
            instruction,
            as_draft: asDraft ? 1 : 0,
            is_paused: 0,
            // It looks for the first time at once, to know what is new later.
            next_at: trigger.on === 'change' ? now.toISOString() : (next?.toISOString() ?? null),
            memory: JSON.stringify('since' in task && task.since ? { commit: task.since } : {}),
            created_at: now.toISOString(),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await record(tx, made, by, 'created', { task, trigger });
        await lockUntilCommit(tx, `automations of ${project.id}`);
        const { count } = await tx
          .selectFrom('agent_automations')
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where('project', '=', project.id)
          .executeTakeFirstOrThrow();
        if (Number(count) > maxPerProject) {
          throw new DocentError('conflict', `A project has at most ${maxPerProject} automations.`);
        }
        return made;
      });
      runs.wake();
      return showOne(row);
    },

    async change(id: string, organization: string, change: AutomationChange, by: Actor) {
      const before = await own(id, organization);
      const project = projects.byId(before.project);
      if (!project) throw new DocentError('not_found', 'There is no such project.');
      const { name, trigger, instruction, asDraft, isPaused } = change;
      const wanted = { task: taskOf(before), trigger: trigger ?? triggerOf(before) };
      checkTask(project, { ...wanted, instruction: instruction ?? before.instruction });
      // What was due while it was paused isn't made up for.
      const isNew = trigger !== undefined || isPaused !== undefined;
      const next = nextAfter(wanted.trigger, await rows.now())?.toISOString() ?? null;
      const row = await database.transaction().execute(async (tx) => {
        await record(tx, before, by, 'changed', change);
        return tx
          .updateTable('agent_automations')
          .set({
            ...(trigger && { trigger: JSON.stringify(trigger) }),
            ...(instruction !== undefined && { instruction }),
            ...(asDraft !== undefined && { as_draft: asDraft ? 1 : 0 }),
            ...(isPaused !== undefined && { is_paused: isPaused ? 1 : 0 }),
            ...(isNew && { next_at: next }),
            name: name ?? before.name,
          })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirstOrThrow();
      });
      return showOne(row);
    },

    /** Rejects with `conflict` if the project names no such repository. */
    propose: async (project: Project, repository: string, signal: AbortSignal) =>
      proposeForCode(deps, { project, repository, now: await rows.now() }, signal),

    /** Its jobs and pull requests stay. */
    async remove(id: string, organization: string, by: Actor): Promise<void> {
      const row = await own(id, organization);
      await database.transaction().execute(async (tx) => {
        await record(tx, row, by, 'deleted');
        await tx.deleteFrom('agent_automations').where('id', '=', id).execute();
      });
    },

    /** Begins a run now, also if it's paused. The same key begins one. */
    async runNow(id: string, organization: string, by: Actor, key: string = newId()) {
      const row = await own(id, organization);
      const run = await database.transaction().execute(async (tx) => {
        const text = by.kind === 'person' ? 'Somebody asked for it' : 'A program asked for it';
        await record(tx, row, by, 'run');
        return rows.begin(tx, id, { key: `call ${key}`, text });
      });
      runs.wake();
      return showRun(run, new Map());
    },

    async runs(
      id: string,
      organization: string,
      query: { cursor?: string | undefined; take: number },
    ): Promise<AutomationRun[]> {
      await own(id, organization);
      const found = await rows.list(id, query);
      const pulls = await rows.pulls(found.map(({ job_id: job }) => job));
      return found.map((run) => showRun(run, pulls));
    },
  };
}

/** What could never come to anything is refused. */
function checkTask(
  project: Project,
  { task, trigger, instruction }: Pick<NewAutomation, 'task' | 'trigger' | 'instruction'>,
): void {
  if (project.repository === undefined) {
    const message = `The project ${project.id} has no repository; set \`repository\` in its configuration.`;
    throw new DocentError('conflict', message);
  }
  const isCommand = task.about === 'links' && instruction === '';
  if (project.model === undefined && !isCommand) {
    throw new DocentError(
      'conflict',
      `The project ${project.id} has no language model. Without one, an automation can repair broken links, without an instruction. Set \`model\` of the project for the others.`,
    );
  }
  if (task.about === 'words') {
    if (instruction === '') throw invalid('instruction', 'says what to do, and is missing');
    if (trigger.on === 'change') {
      throw invalid('trigger.on', 'must be "schedule" or "call": nothing says what would be new');
    }
  }
  if ((task.about === 'gaps' || task.about === 'ratings') && project.site === undefined) {
    throw new DocentError(
      'conflict',
      `The project ${project.id} has no readers; set \`site\` in its configuration.`,
    );
  }
  if ('repository' in task && !project.code.some(({ name }) => name === task.repository)) {
    throw invalid(
      'task.repository',
      `must be one of the project's \`code\` (${project.code.map(({ name }) => name).join(', ') || 'none so far'})`,
    );
  }
}
