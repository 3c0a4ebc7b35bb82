/** kill -9 in the middle of a job, wherever that is: the next start goes on, to one branch and one pull request. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow, type Plan } from '../support/agent-script.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { type GitHubServer, startGitHubServer } from '../support/github-server.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11CANARY0000000000000000_crash';
const before = '# Install\n\nRun the instaler.\n';
const after = '# Install\n\nRun the installer.\n';
const edit = {
  call: 'edit',
  input: { path: 'docs/install.md', oldText: 'instaler', newText: 'installer' },
};
const finish = {
  call: 'finish',
  input: { title: 'Fix a typo', message: 'It is fixed.', summary: 'Corrects “installer”.' },
};

let model: ScriptedModel;
const plans: Plan[] = [];

beforeAll(async () => {
  model = await startScriptedModel();
  model.reply((request) => {
    const script = follow(...plans);
    return typeof script === 'function' ? script(request) : script;
  });
});
afterAll(() => model.close());

/** A server with one project for each way to die, that is killed and started again. */
async function prepare(folder: string, projects: object[], env: Record<string, string> = {}) {
  const config = await writeConfig(folder, {
    server: { port: 0, dataFolder: '.' },
    agent: { concurrency: 20 },
    models: { main: toModel(model.url) },
    sites: [kestrel],
    projects: projects.map((project) => ({
      organization: 'kestrel',
      docsRoot: 'docs',
      model: 'main',
      ...project,
    })),
  });
  const admin = await makeKey(config, env, 'admin');
  let server = await serve(config, { env });
  return {
    agent: (project: string) => agentOf({ url: server.url, admin }, project),
    killAndStart: async () => {
      await server.kill('SIGKILL');
      server = await serve(config, { env });
    },
    /** What is on record, read as any other program would. */
    events: (job: string): string[] => {
      using database = new DatabaseSync(join(folder, 'docent.db'), { readOnly: true });
      return database
        .prepare('select type from agent_events where job_id = ? order by seq')
        .all(job)
        .map(({ type }) => String(type));
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function ended(agent: ReturnType<typeof agentOf>, id: string) {
  return waitFor(
    'the job to end',
    async () => {
      const { body } = await agent.read(id);
      return body.status !== 'active' && body;
    },
    60_000,
  );
}

describe('at GitHub', () => {
  const ways = [
    'while the repository is read',
    'while the model answers for the first time',
    'after the first step, while the model answers again',
    'while the model finishes',
    'while the change is reviewed',
    'before the commit is written',
    'after the commit is written, before that is known',
    'before the branch is made',
    'after the branch is made, before that is known',
    'before the pull request is made',
    'after the pull request is made, before that is known',
  ] as const;
  type Way = (typeof ways)[number];

  let github: GitHubServer;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let place: Awaited<ReturnType<typeof prepare>>;
  const hosted = new Map<Way, Awaited<ReturnType<GitHubServer['addRepository']>>>();
  const jobs = new Map<Way, string>();
  const nameOf = (way: Way) => `way-${String(ways.indexOf(way)).padStart(2, '0')}`;

  /** One process dies with all of the jobs, each of them held at its own place. */
  beforeAll(async () => {
    folder = await temporaryFolder();
    github = await startGitHubServer();
    github.addToken(token);
    for (const way of ways) {
      const files = {
        'docs/install.md': before,
        'docs/usage.md': '# Usage\n',
        '.github/pull_request_template.md': '## What\n',
      };
      hosted.set(way, await github.addRepository(`acme/${nameOf(way)}`, files));
    }
    place = await prepare(
      folder.path,
      ways.map((way) => ({
        id: nameOf(way),
        repository: github.repositoryUrl(`acme/${nameOf(way)}`),
        github: { tokenEnv: 'DOCS_TOKEN' },
      })),
      { DOCS_TOKEN: token },
    );
    const held = gate();
    const begin = async (way: Way) => {
      const plan: Plan = { for: `job of ${nameOf(way)}.`, answers: [[edit], [finish]] };
      const isThere = hold(way, plan, held);
      plans.push(plan);
      const prompt = `The job of ${nameOf(way)}.`;
      const { body } = await place.agent(nameOf(way)).create({ prompt });
      jobs.set(way, body.id);
      await isThere();
    };
    // Git waits for a minute at most: the job that it keeps waiting comes last.
    const [reading, ...others] = ways;
    await Promise.all(others.map(begin));
    await begin(reading);
    await place.killAndStart();
    held.open();
  }, 180_000);
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await github[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  /** Holds the job on that way; gives back what waits until it stands there. */
  function hold(way: Way, plan: Plan, held: ReturnType<typeof gate>): () => Promise<unknown> {
    const isAsked = (times: number) => () =>
      waitFor(
        `the model to be asked ${times} times`,
        () => model.requests.filter(({ text }) => text.includes(plan.for)).length === times,
        90_000,
      );
    const at = (call: string, when: 'before' | 'after') => {
      const [method = '', path = ''] = call.split(' ');
      // Cut once the gate opens: by then nobody is there who would hear an answer.
      const fault = github.fail({
        at: `${method} acme/${nameOf(way)}${path}`,
        when,
        answer: 'cut',
        gate: held.wait,
      });
      return () => waitFor(`${call} to be asked for`, () => fault.happened === 1, 90_000);
    };
    switch (way) {
      case 'while the repository is read':
        return at('git', 'before');
      case 'while the model answers for the first time':
        plan.answers[0] = ['I look.', held, edit];
        return isAsked(1);
      case 'after the first step, while the model answers again':
        plan.answers[1] = [held, finish];
        return isAsked(2);
      case 'while the model finishes':
        plan.answers[1] = ['Done', held, finish];
        return isAsked(2);
      case 'while the change is reviewed': {
        const finishing = gate();
        plan.answers[1] = [finishing, finish];
        return async () => {
          await isAsked(2)();
          // The form for pull requests is the only file that nobody has read before.
          const isRead = at('git', 'before');
          finishing.open();
          await isRead();
        };
      }
      case 'before the commit is written':
        return at('POST /git/commits', 'before');
      case 'after the commit is written, before that is known':
        return at('POST /git/commits', 'after');
      case 'before the branch is made':
        return at('POST /git/refs', 'before');
      case 'after the branch is made, before that is known':
        return at('POST /git/refs', 'after');
      case 'before the pull request is made':
        return at('POST /pulls', 'before');
      case 'after the pull request is made, before that is known':
        return at('POST /pulls', 'after');
    }
  }

  test.each(ways)('%s', async (way) => {
    const job = await ended(place.agent(nameOf(way)), jobs.get(way) ?? '');
    expect(job).toMatchObject({ status: 'completed', failure: null, round: 1 });
    const { docs, pulls } = hosted.get(way) ?? { pulls: [] };
    expect((await docs?.branches())?.toSorted()).toEqual([job.source.ref, 'main']);
    expect(pulls.map(({ number, branch, state }) => ({ number, branch, state }))).toEqual([
      { number: 1, branch: job.source.ref, state: 'open' },
    ]);
    expect(await docs?.read('docs/install.md', job.source.ref)).toBe(after);
    expect(await docs?.log(job.source.ref)).toHaveLength(2);
    const events = place.events(job.id);
    const count = (type: string) => events.filter((each) => each === type).length;
    expect([count('started'), count('pull-request'), count('completed')]).toEqual([2, 1, 1]);
    // A step that was stored is not asked for again.
    expect(count('step')).toBe(2);
  });
});

/** Nothing can be held there: the process dies as soon as an event is on record. */
describe('at a repository on this machine', () => {
  const events = ['queued', 'started', 'tool-call', 'step', 'checks', 'pull-request'] as const;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let place: Awaited<ReturnType<typeof prepare>>;
  const repositories = new Map<string, DocsRepository>();

  beforeAll(async () => {
    folder = await temporaryFolder();
    for (const event of events) {
      const path = join(folder.path, 'docs', `${event}.git`);
      await mkdir(path, { recursive: true });
      const files = { 'docs/install.md': before };
      repositories.set(event, await makeRepository(files, { path }));
    }
    place = await prepare(
      folder.path,
      events.map((event) => ({ id: event, repository: repositories.get(event)?.path })),
    );
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  test.each(events)('at the event “%s”', async (event) => {
    plans.push({ for: `job of ${event}.`, answers: [[edit], [finish]] });
    const { body } = await place.agent(event).create({ prompt: `The job of ${event}.` });
    // At once: the process goes on meanwhile.
    await waitFor(event, () => place.events(body.id).includes(event), 30_000, 10);
    await place.killAndStart();
    const job = await ended(place.agent(event), body.id);
    expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
    const docs = repositories.get(event);
    expect((await docs?.branches())?.toSorted()).toEqual([job.source.ref, 'main']);
    expect(await docs?.read('docs/install.md', job.source.ref)).toBe(after);
    expect(await docs?.log(job.source.ref)).toHaveLength(2);
    const last = place.events(job.id).slice(-2);
    expect(last).toEqual(['pull-request', 'completed']);
  });
});
