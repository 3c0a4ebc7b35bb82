/** Instructions without a language model, over HTTP, on a copy of Docent's own documentation: the diff is exact and the checks pass. */
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
/** A page with two broken links, of which one can be mended for certain. */
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
    60_000,
  );

async function run(prompt: string) {
  const { body } = await agent.create({ prompt });
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

/** Paths that differ from the base, each with its text in the job's branch. */
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
  const job = await run('Replace “Docent” with “The service” in index.md');
  expect(job).toMatchObject({
    status: 'completed',
    model: 'built-in',
    title: 'Replace “Docent” with “The service”',
  });
  const expected = pages['docs/index.md']?.replaceAll('Docent', 'The service');
  expect(await changed(job.source.ref)).toEqual(new Map([['docs/index.md', expected]]));
  await expectChecksPassed(job.id);
});

test('rename a page: the links of all others follow', async () => {
  const job = await run('Rename the page errors to error-codes and fix its links.');
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

test('fix broken links: what is certain is mended, the rest is said', async () => {
  const job = await run('Fix all broken links');
  const expected = broken?.replace('/keys-and-limit#', '/keys-and-limits#');
  expect(await changed(job.source.ref)).toEqual(new Map([['docs/mcp.md', expected]]));
  expect(job.message).toContain('The link "/xyzzy-quux" leads to no page.');
  await expectChecksPassed(job.id);
});

test('add a page from a title', async () => {
  const job = await run(
    'Add a page "Air-gapped networks" after self-hosting with the text "Everything runs without the Internet.\n\n## What to copy\n\nThe folder."',
  );
  expect(job.failure).toBeNull();
  const front = /^---\n([\s\S]*?)\n---/.exec(pages['docs/self-hosting.md'] ?? '')?.[1] ?? '';
  const section = /^section: (.*)$/m.exec(front)?.[1];
  const [path, text] = [...(await changed(job.source.ref))][0] ?? [];
  expect(path).toBe('docs/air-gapped-networks.md');
  expect(text).toMatch(
    new RegExp(
      `^---\ntitle: Air-gapped networks\ndescription: Everything runs without the Internet.\nsection: ${section}\norder: [\\d.]+\n---\n\nEverything runs without the Internet.\n\n## What to copy\n\nThe folder.\n$`,
    ),
  );
  const orders = Object.values(pages).map((page) => /^order: (.*)$/m.exec(page)?.[1]);
  expect(orders).not.toContain(/^order: (.*)$/m.exec(text ?? '')?.[1]);
  await expectChecksPassed(job.id);
});

test('nothing to do is completed without a pull request', async () => {
  expect(await run('Replace "no such text anywhere" with "x"')).toMatchObject({
    status: 'completed',
    prLink: null,
    message: 'Not found: “no such text anywhere”.',
  });
});

test('what it does not understand is said, and nothing is changed', async () => {
  const before = await docs.branches();
  const job = await run('Make the introduction friendlier');
  expect(job).toMatchObject({
    status: 'failed',
    prLink: null,
    failure: { code: 'not_understood', retryable: false },
    // It asks no language model, so nothing is estimated either.
    usage: { steps: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 },
  });
  expect(job.failure?.message).toContain('Rename the page guides/old.md to guides/new.md');
  expect(await docs.branches()).toEqual(before);
});

test('a follow-up: after what was not understood, and after the end, on the same pull request', async () => {
  const job = await run('Please do something about index.md');
  expect(job.failure?.code).toBe('not_understood');
  await agent.message(job.id, { prompt: 'Replace "Docent" with "It" in index.md' });
  const second = await ended(job.id);
  expect(second.failure).toBeNull();
  expect(second.message).toContain('Not done: do something about index.md');
  await agent.message(job.id, { prompt: 'also in scaling.md' });
  const third = await ended(job.id);
  expect(third.prLink).toBe(second.prLink);
  expect([...(await changed(third.source.ref)).keys()]).toEqual([
    'docs/index.md',
    'docs/scaling.md',
  ]);
  expect(
    (await docs.log(third.source.ref)).slice(0, 2).map(({ message }) => message.split('\n')[0]),
  ).toEqual(['Replace “Docent” with “It”', 'Replace “Docent” with “It”']);
});
