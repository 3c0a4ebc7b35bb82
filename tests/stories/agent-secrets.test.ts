/** What must not get anywhere, though somebody typed it or a page stands behind it: keys of ours and of others. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NewShareReply } from '@docent/shared/jobs-list';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf, sentEvents } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { makeRepository } from '../support/docs-repository.ts';
import { addPerson } from '../support/person.ts';
import { getJson } from '../support/call.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

let model: ScriptedModel;
beforeAll(async () => {
  model = await startScriptedModel();
});
afterAll(() => model.close());

async function runJob(prompt: string, newText: string) {
  const docs = await makeRepository({ 'docs/index.md': '# Start\n\nHello.\n' });
  const lines: string[] = [];
  const note = (...said: unknown[]) => void lines.push(JSON.stringify(said));
  const log = { debug: note, info: note, warn: note, error: note, child: () => log };
  const docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [
      {
        id: 'kestrel',
        organization: 'kestrel',
        repository: docs.path,
        docsRoot: 'docs',
        model: 'main',
      },
    ],
    log: log as never,
  });
  const input = { path: 'docs/index.md', oldText: 'Hello.', newText };
  model.reply(
    follow({
      for: 'Say it',
      answers: [
        [{ call: 'edit', input }],
        [{ call: 'finish', input: { title: 'Say it', message: 'It is said.' } }],
      ],
    }),
  );
  const agent = agentOf(docent);
  const { body } = await agent.create({ prompt });
  const job = await waitFor('the job to end', async () => {
    const read = await agent.read(body.id);
    return read.body.status !== 'active' && read.body;
  });
  const events: unknown[] = [];
  for await (const { data } of sentEvents(await agent.follow(body.id))) events.push(data);
  const { body: audit } = await getJson(docent, '/v1/audit', { key: docent.admin });
  const patch = await docs.git('log', '-p', '--all');

  /** All that is kept, by its place. */
  async function kept(): Promise<Record<string, string>> {
    const { database } = docent.docent.services;
    const tables = await database.introspection.getTables();
    const rows = await Promise.all(
      tables.map(async ({ name }) => [
        name,
        JSON.stringify(
          await database
            .selectFrom(name as 'agent_jobs')
            .selectAll()
            .execute(),
        ),
      ]),
    );
    const entries = await readdir(docent.dataFolder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const bytes = await Promise.all(
      files.map(async ({ name, parentPath }) => [
        `file ${name}`,
        await readFile(join(parentPath, name), 'latin1'),
      ]),
    );
    return {
      ...(Object.fromEntries([...rows, ...bytes]) as Record<string, string>),
      log: lines.join('\n'),
      events: JSON.stringify(events),
      audit: JSON.stringify(audit),
      repository: patch,
    };
  }

  return {
    docent,
    job,
    kept,
    async [Symbol.asyncDispose]() {
      await docent[Symbol.asyncDispose]();
      await docs[Symbol.asyncDispose]();
    },
  };
}

const places = (kept: Record<string, string>, secret: string) =>
  Object.keys(kept).filter((place) => kept[place]?.includes(secret));

test('the token of a shared link is in no row, event, audit entry, log or pull request', async () => {
  await using ran = await runJob('Say it plainly.', 'Good day.');
  const { job, docent } = ran;
  expect(job.status).toBe('completed');
  expect(job.prLink).toBe(`${docent.url}/dashboard/projects/kestrel/pulls/1`);
  const editor = await addPerson(docent, 'editor');
  for (const page of [
    { page: 'job', id: job.id },
    { page: 'pull', id: '1' },
  ]) {
    const body = { project: 'kestrel', ...page };
    const made = await editor.fetch('/v1/shares', { method: 'POST', body });
    const { url } = (await made.json()) as NewShareReply;
    expect((await fetch(url)).status).toBe(200);
    const token = new URL(url).searchParams.get('k') ?? '';
    expect(token.length).toBeGreaterThan(40);
    const kept = await ran.kept();
    expect(kept['log']).toContain(new URL(url).pathname);
    expect(places(kept, token)).toEqual([]);
  }
});

test('keys that somebody pastes into an instruction are kept nowhere', async () => {
  const letters = 'k7QxA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6';
  const pasted = {
    admin: `svc_${letters}abcdefg`,
    assistant: `svc_dsc_${letters}abcdefg`,
    github: ['gh', 'p_', letters].join(''),
    model: ['sk', '-ant-api03-', letters, letters].join(''),
  };
  const words = Object.values(pasted).join(' and ');
  await using ran = await runJob(`Say it: use ${words}.`, 'Good day.');
  expect(ran.job.status).toBe('completed');
  const kept = await ran.kept();
  for (const secret of Object.values(pasted)) expect(places(kept, secret)).toEqual([]);
  for (const { text } of model.requests) {
    for (const secret of Object.values(pasted)) expect(text).not.toContain(secret);
  }
});
