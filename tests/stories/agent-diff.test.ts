/** What a job has changed can be read as a patch, also where it failed or was cancelled. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { follow } from '../support/agent-script.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { type ScriptedModel, silence, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

let model: ScriptedModel;
let docs: DocsRepository;
let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;

beforeAll(async () => {
  model = await startScriptedModel();
  docs = await makeRepository({
    'install.md': '# Install\n\nRun the instaler.\n',
    'usage.md': '# Usage\n\nStart it.\n',
  });
  docent = await startDocent({
    models: { main: toModel(model.url) },
    projects: [{ id: 'kestrel', organization: 'kestrel', repository: docs.path, model: 'main' }],
  });
  agent = agentOf(docent);
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await docs[Symbol.asyncDispose]();
  await model.close();
});

const fix = {
  call: 'edit',
  input: { path: 'install.md', oldText: 'instaler', newText: 'installer' },
};
const add = { call: 'write', input: { path: 'faq.md', content: '# FAQ\n\nNone yet.\n' } };
const finish = { call: 'finish', input: { title: 'Fix it', message: 'Fixed.' } };

async function diffOf(id: string) {
  const response = await fetch(`${docent.url}/v2/agent/kestrel/job/${id}/diff`, {
    headers: { authorization: `Bearer ${docent.admin}` },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  };
}

const ended = (id: string) =>
  waitFor('the job to end', async () => {
    const { body } = await agent.read(id);
    return body.status !== 'active' && body;
  });

test('of a job that went well: what its branch has, for git to apply', async () => {
  model.reply(follow({ for: 'instaler', answers: [[fix, add], [finish]] }));
  const { id } = (await agent.create({ prompt: 'It says instaler, fix that.' })).body;
  const job = await ended(id);
  expect(job.failure).toBeNull();
  const { status, type, text } = await diffOf(id);
  expect([status, type]).toEqual([200, 'text/x-diff; charset=utf-8']);
  expect(text).toContain('-Run the instaler.\n+Run the installer.\n');
  await using folder = await temporaryFolder();
  const patch = join(folder.path, 'change.patch');
  await writeFile(patch, text);
  // In the repository's own index, without a work tree.
  await docs.git('read-tree', 'main');
  await docs.git('apply', '--cached', patch);
  expect(await docs.git('write-tree')).toBe(
    await docs.git('rev-parse', `${job.source.ref}^{tree}`),
  );
});

test('of one that was cancelled: what it had done until then', async () => {
  model.reply(follow({ for: 'instaler', answers: [[fix], [silence]] }));
  const { id } = (await agent.create({ prompt: 'Once more: it says instaler.' })).body;
  await waitFor('the edit', async () => (await diffOf(id)).text.includes('installer'));
  await agent.cancel(id);
  const job = await ended(id);
  expect(job).toMatchObject({ status: 'failed', failure: { code: 'cancelled' }, prLink: null });
  expect((await diffOf(id)).text).toContain('+Run the installer.\n');
});

test('of one that has not begun, and of one that is not there', async () => {
  const { status } = await diffOf('nonsense');
  expect(status).toBe(404);
});
