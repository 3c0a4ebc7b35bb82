/** Two server processes on one PostgreSQL: what one was doing when it died, or fell asleep, the other goes on with. */
import {
  postgresPrograms,
  sharedPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { endLease } from '../support/end-lease.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { gate, type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const prompt = 'It says instaler, fix that.';
const edit = {
  call: 'edit',
  input: { path: 'docs/install.md', oldText: 'instaler', newText: 'installer' },
};
const finish = { call: 'finish', input: { title: 'Fix a typo', message: 'It is fixed.' } };
/** On a busy machine. */
const patienceMs = 90_000;

describe('two processes', () => {
  if (postgresPrograms === undefined) {
    test('as one', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  let model: ScriptedModel;

  beforeAll(async () => {
    postgres = await sharedPostgres();
    model = await startScriptedModel();
  });
  afterAll(() => model.close());

  async function prepare() {
    const folder = await temporaryFolder();
    const docs = await makeRepository({ 'docs/install.md': '# Install\n\nRun the instaler.\n' });
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '.' },
      models: { main: toModel(model.url) },
      sites: [kestrel],
      projects: [{ id: 'kestrel', organization: 'kestrel', repository: docs.path, model: 'main' }],
    });
    const url = await postgres.createDatabase();
    const env = { DATABASE_URL: url };
    const servers = await Promise.all([serve(config, { env }), serve(config, { env })]);
    const admin = await makeKey(config, env, 'admin');
    const row = async () => {
      const [found] = await postgres.query<{ name: string; attempt: number }>(
        url,
        'select name, attempt from agent_jobs join processes on processes.id = owner',
      );
      return found;
    };
    return {
      docs,
      row,
      agents: servers.map((server) => agentOf({ url: server.url, admin })),
      /** The server that has the job, and the other one. */
      async split() {
        const found = await waitFor('a process to have the job', row);
        const has = servers.findIndex(({ pid }) => found.name.endsWith(` ${pid}`));
        const [one, other] = [servers[has], servers[1 - has]];
        if (!one || !other) throw new Error(`Nobody has the job: ${found.name}`);
        return { one, other, agent: agentOf({ url: other.url, admin }) };
      },
      letTimePass: (pid: number | undefined) => endLease(postgres, url, pid),
      events: async (type: string) =>
        (await postgres.query(url, `select seq from agent_events where type = '${type}'`)).length,
      async [Symbol.asyncDispose]() {
        for (const server of servers) await server[Symbol.asyncDispose]();
        await docs[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  const ended = (agent: ReturnType<typeof agentOf>, id: string) =>
    waitFor(
      'the job to end',
      async () => {
        const { body } = await agent.read(id);
        return body.status !== 'active' && body;
      },
      patienceMs,
    );

  test('the job of one that is killed is taken over', { timeout: 180_000 }, async () => {
    await using place = await prepare();
    const held = gate();
    const asked = model.requests.length;
    model.reply(follow({ for: 'instaler', answers: [[edit], [held, finish]] }));
    const { body } = (await place.agents[0]?.create({ prompt })) ?? {};
    await model.request(asked + 2);
    const { one, agent } = await place.split();
    await one.kill('SIGKILL');
    await place.letTimePass(one.pid);
    held.open();
    const job = await ended(agent, body?.id ?? '');
    expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
    expect(await place.docs.log(job.source.ref)).toHaveLength(2);
    expect(await place.events('started')).toBe(2);
    // The first step was stored: it is not asked for again.
    expect(model.requests.length - asked).toBe(3);
  });

  test(
    'one that slept too long finds its job gone, and does nothing more',
    { timeout: 180_000 },
    async () => {
      await using place = await prepare();
      const held = gate();
      const asked = model.requests.length;
      model.reply(follow({ for: 'instaler', answers: [[held, edit], [finish]] }));
      const { body } = (await place.agents[1]?.create({ prompt })) ?? {};
      await model.request(asked + 1);
      const { one, agent } = await place.split();
      process.kill(one.pid ?? 0, 'SIGSTOP');
      try {
        await place.letTimePass(one.pid);
        await waitFor(
          'the other to take it',
          async () => (await place.row())?.attempt === 2,
          patienceMs,
        );
        held.open();
        const job = await ended(agent, body?.id ?? '');
        process.kill(one.pid ?? 0, 'SIGCONT');
        await waitFor(
          'the first to see it',
          () => one.output.stderr.includes('another process took over a job'),
          patienceMs,
        );
        expect(job).toMatchObject({ status: 'completed', pullRequest: { number: 1 } });
        expect((await agent.read(job.id)).body).toEqual(job);
        expect((await place.docs.branches()).toSorted()).toEqual([job.source.ref, 'main']);
        expect(await place.docs.log(job.source.ref)).toHaveLength(2);
        expect([await place.events('pull-request'), await place.events('completed')]).toEqual([
          1, 1,
        ]);
      } finally {
        process.kill(one.pid ?? 0, 'SIGCONT');
      }
    },
  );
});
