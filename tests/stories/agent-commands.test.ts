/** The four commands over HTTP, on a copy of Docent's own documentation: the diff is exact and the checks pass. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { agentOf, sentEvents } from '../support/agent.ts';
import { type DocsRepository, makeRepository } from '../support/docs-repository.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const folder = new URL('../../demo-site/docs/', import.meta.url);
const pages = Object.fromEntries(
  readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .map((name) => [`docs/${name}`, readFileSync(new URL(name, folder), 'utf8')]),
);
const images = Object.fromEntries(
  readdirSync(new URL('images/', folder)).map((name) => [
    `docs/images/${name}`,
    readFileSync(new URL(`images/${name}`, folder)),
  ]),
);
/** A page with two broken links. Only the first one has a clear target. */
const broken = pages['docs/mcp.md']
  ?.concat('\nSee [limits](/keys-and-limit#rate-limits) and [nothing](/xyzzy-quux).\n')
  .toString();

let docs: DocsRepository;
let docent: TestDocent;
let agent: ReturnType<typeof agentOf>;

beforeAll(async () => {
  docs = await makeRepository({ ...pages, ...images, 'docs/mcp.md': broken ?? '' });
  docent = await startDocent({
    projects: [{ id: 'kestrel', organization: 'kestrel', repository: docs.path, docsRoot: 'docs' }],
  });
  agent = agentOf(docent);
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await docs[Symbol.asyncDispose]();
});

const ended = (id: string) =>
  waitFor(
    'the job to end',
    async () => {
      const { body } = await agent.read(id);
      return body.status !== 'active' && body;
    },
    120_000,
  );

async function run(command: object) {
  const { body } = await agent.create({ command });
  return ended(body.id);
}

async function eventsOf(id: string): Promise<AgentLogEntry[]> {
  const controller = new AbortController();
  const found: AgentLogEntry[] = [];
  for await (const { data } of sentEvents(await agent.follow(id, undefined, controller.signal))) {
    found.push(data);
    if (data.type === 'completed' || data.type === 'failed') break;
  }
  controller.abort();
  return found;
}

/** Texts of the changed files in the job's branch, by path. */
async function changed(branch: string): Promise<Map<string, string | undefined>> {
  const names = await docs.git('diff', '--no-renames', '--name-only', 'main', branch);
  const read = names
    .split('\n')
    .map(async (path) => [path, await docs.read(path, branch)] as const);
  return new Map(await Promise.all(read));
}

async function expectChecksPassed(id: string): Promise<void> {
  const reports = (await eventsOf(id)).flatMap((one) =>
    one.type === 'checks' ? [one.report] : [],
  );
  expect(reports.at(-1)?.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(reports.at(-1)?.checks.find(({ name }) => name === 'links')?.status).toBe('passed');
}

test('replace a text in one page', async () => {
  const job = await run({
    type: 'replace-text',
    find: 'Docent',
    replace: 'The service',
    path: 'index.md',
  });
  expect(job).toMatchObject({
    status: 'completed',
    model: 'none',
    title: 'Replace “Docent” with “The service” in index.md',
  });
  const expected = pages['docs/index.md']?.replaceAll('Docent', 'The service');
  expect(await changed(job.source.ref)).toEqual(new Map([['docs/index.md', expected]]));
  await expectChecksPassed(job.id);
});

test('move a page: the links of all others follow', async () => {
  const job = await run({ type: 'move-page', from: 'errors.md', to: 'error-codes.md' });
  expect(job.failure).toBeNull();
  const base = { ...pages, 'docs/mcp.md': broken ?? '' };
  const expected = new Map<string, string | undefined>([
    ['docs/errors.md', undefined],
    ['docs/error-codes.md', pages['docs/errors.md']],
  ]);
  for (const [path, text] of Object.entries(base)) {
    const now = text.replaceAll(/\]\(\/errors(?=[)#])/g, '](/error-codes');
    if (now !== text && path !== 'docs/errors.md') expected.set(path, now);
  }
  expect(expected.size).toBeGreaterThan(4);
  expect(await changed(job.source.ref)).toEqual(expected);
  await expectChecksPassed(job.id);
});

test('fix broken links: those with one clear target change, the others are named', async () => {
  const job = await run({ type: 'fix-links' });
  const expected = broken?.replace('/keys-and-limit#', '/keys-and-limits#');
  expect(await changed(job.source.ref)).toEqual(new Map([['docs/mcp.md', expected]]));
  expect(job.message).toContain('The link "/xyzzy-quux" leads to no page.');
  await expectChecksPassed(job.id);
});

test('add a page after another one', async () => {
  const content = 'Everything runs without the Internet.\n\n## What to copy\n\nThe folder.';
  const job = await run({
    type: 'add-page',
    path: 'air-gapped-networks.md',
    title: 'Air-gapped networks',
    content,
    after: 'self-hosting',
  });
  expect(job.failure).toBeNull();
  const front = /^---\n([\s\S]*?)\n---/.exec(pages['docs/self-hosting.md'] ?? '')?.[1] ?? '';
  const section = /^section: (.*)$/m.exec(front)?.[1];
  const [path, text] = [...(await changed(job.source.ref))][0] ?? [];
  expect(path).toBe('docs/air-gapped-networks.md');
  expect(text).toMatch(
    new RegExp(
      `^---\ntitle: Air-gapped networks\ndescription: Everything runs without the Internet.\nsection: ${section}\norder: [\\d.]+\n---\n\n${content}\n$`,
    ),
  );
  const orders = Object.values(pages).map((page) => /^order: (.*)$/m.exec(page)?.[1]);
  expect(orders).not.toContain(/^order: (.*)$/m.exec(text ?? '')?.[1]);
  await expectChecksPassed(job.id);
});

test('a command without a change completes without a pull request', async () => {
  const command = { type: 'replace-text', find: 'no such text anywhere', replace: 'x' };
  expect(await run(command)).toMatchObject({
    status: 'completed',
    prLink: null,
    message: 'No page contains “no such text anywhere”, so nothing changed.',
  });
});
