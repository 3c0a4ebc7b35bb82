/** kill -9 at each step between a question and its answer, with two processes on PostgreSQL: one pull request, asked again once. */
import type { GapStory } from '@docent/shared/analytics';
import { postgresPrograms, sharedPostgres, whyNoPostgres } from '@docent/server/testing';
import { expect, test } from 'vitest';
import { createAsker, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { kestrel, temporaryFolder } from '../support/fixture.ts';
import { gate, startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const question = 'Does billing accept bitcoin for invoices?';
const page = '# Pay with bitcoin\n\nBilling accepts bitcoin for invoices since version 2.\n';
const line = (kind: string, text: string) =>
  `${new RegExp(`<<\\w+:${kind}>>`).exec(text)?.[0] ?? ''}\n`;
const longMs = 120_000;

test('one pull request, and each question is asked again once', async (context) => {
  if (postgresPrograms === undefined) return context.skip(whyNoPostgres);
  await using folder = await temporaryFolder();
  await using docs = await makeRepository({
    'docs/index.md': '# Kestrel\n\nIt watches sensors.\n',
  });
  await using model = await startScriptedModel();
  const held = gate();
  let answers = 0;
  model.reply(({ text }) => {
    if (!text.includes('accepts bitcoin')) {
      return [line('unanswered', text), 'The documentation does not say.'];
    }
    answers += 1;
    // Processes that ask again get no answer while they're to die.
    return [{ wait: held.wait }, line('answered', text), 'Yes, it does. [1]'];
  });
  const { docs: _, ...site } = kestrel;
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.', publicUrl: 'https://docent.example.com' },
    models: { main: toModel(model.url) },
    sites: [
      {
        ...site,
        model: 'main',
        docs: {
          sources: [{ type: 'git', url: docs.path, folder: 'docs' }],
          baseUrl: 'https://docs.kestrel.example',
        },
      },
    ],
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        site: 'kestrel-docs',
      },
    ],
  });
  const postgres = await sharedPostgres();
  const env = { DATABASE_URL: await postgres.createDatabase() };
  const admin = await makeKey(config, env, 'admin');
  const key = await makeKey(config, env);
  const servers = [await serve(config, { env }), await serve(config, { env })];
  await using _servers = {
    [Symbol.asyncDispose]: async () => {
      held.open();
      for (const server of servers) await server[Symbol.asyncDispose]();
    },
  };
  const live = () => ({ url: servers.at(-1)?.url ?? '', key: admin });
  /** The older one dies, or the newer one; another begins in its place. */
  const kill = async (index: 0 | 1) => {
    const [dead] = servers.splice(index, 1);
    await dead?.kill('SIGKILL');
    servers.push(await serve(config, { env }));
  };
  const gap = async () => {
    const path = '/v1/analytics/kestrel-docs/unanswered';
    return (await getJson<{ gaps: GapStory[] }>(live(), path)).body.gaps?.[0];
  };
  const stateOf = (state: GapStory['state']) =>
    waitFor(
      `the gap to be ${state}`,
      async () => {
        const found = await gap().catch(() => undefined);
        return found?.state === state && found;
      },
      longMs,
    );

  await waitFor('the first index', async () => {
    const { body } = await getJson<{ status: string }>(live(), '/v1/index/kestrel-docs');
    return body.status === 'complete';
  });
  await createAsker(live().url, { key, domain: 'kestrel-docs' }).ask(toBody(question));
  const { id, examples } = await stateOf('open');
  const command = {
    type: 'add-page',
    path: 'bitcoin.md',
    title: 'Pay with bitcoin',
    content: page,
  };
  const messageIds = examples.map(({ messageId }) => messageId);
  const job = await postJson(live(), '/v1/analytics/kestrel-docs/unanswered/job', {
    messageIds,
    command,
  });
  expect(job.status).toBe(201);
  await kill(1);
  await stateOf('in-review');
  await kill(0);
  const pull = '/v1/projects/kestrel/pulls/1';
  const { body: view } = await getJson<{ head: string }>(live(), pull);
  expect((await postJson(live(), `${pull}/merge`, { head: view.head })).status).toBe(200);
  await kill(1);
  // Whichever process asks, dies: the other one takes over.
  await waitFor('the question to be asked again', () => answers > 0, longMs);
  await kill(0);
  await kill(0);
  held.open();
  await stateOf('answered');
  const { body: all } = await getJson<{ pulls: unknown[] }>(live(), '/v1/projects/kestrel/pulls');
  expect(all.pulls).toHaveLength(1);
  const story = (await getJson<GapStory>(live(), `/v1/gaps/kestrel-docs/${id}`)).body;
  expect(story.answers).toMatchObject([{ after: { cause: 'merge', outcome: 'answered' } }]);
  expect(await docs.branches()).toHaveLength(2);
  // In peace, nothing more is asked.
  const path = `/v1/gaps/kestrel-docs/${id}`;
  expect((await getJson<GapStory>(live(), path)).body).toMatchObject({ waiting: 0 });
}, 600_000);
