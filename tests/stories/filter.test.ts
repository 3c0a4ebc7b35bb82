/** Whatever is asked, by whichever way: nothing of a page comes out that the filter does not show. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { indexSite } from '@docent/server/docent';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Part, textOf, toBody } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { createRandom } from '../support/random.ts';
import { type ScriptedModel, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

interface Visible {
  version?: string;
  language?: string;
  groups?: string[];
  tags?: string[];
}

interface Filter {
  version?: string;
  language?: string;
  groups?: string[];
  tag?: string;
}

const random = createRandom(20_261);
const versions = ['1.0', '2.0', '3.0'];
const languages = ['en', 'de'];
const groups = ['staff', 'beta', 'partners'];
const tags = ['cloud', 'edge'];
const subjects = ['station', 'threshold', 'battery', 'antenna', 'firmware', 'calendar', 'export'];

/** What a page may have, and mostly has. */
const pages: Visible[] = Array.from({ length: 300 }, () => ({
  ...(random.isTrue(0.7) && { version: random.pick(versions) }),
  ...(random.isTrue(0.7) && { language: random.pick(languages) }),
  ...(random.isTrue(0.5) && { groups: random.some(groups) }),
  ...(random.isTrue(0.6) && { tags: random.some(tags) }),
}));

const randomFilter = (): Filter => ({
  ...(random.isTrue(0.5) && { version: random.pick([...versions, '9.9']) }),
  ...(random.isTrue(0.5) && { language: random.pick(languages) }),
  ...(random.isTrue(0.6) && { groups: random.some(groups) }),
  ...(random.isTrue(0.3) && { tag: random.pick(tags) }),
});

/** The rule as the documentation has it, written down a second time. */
function maySee(page: Visible, filter: Filter): boolean {
  const { version, language, tag } = filter;
  if (page.groups && !(filter.groups ?? []).some((group) => page.groups?.includes(group)))
    return false;
  if (version && page.version && version !== page.version) return false;
  if (language && page.language && language !== page.language) return false;
  return !tag || (page.tags ?? []).includes(tag);
}

/** The pages that something in a text betrays: each has a word and a path of its own. */
function betrayed(text: string): Set<number> {
  return new Set([...text.matchAll(/(?:canary|page-)(\d+)/g)].map(([, number]) => Number(number)));
}

let seen = 0;
function expectNothingForeign(text: string, filter: Filter, where: string): void {
  const found = [...betrayed(text)];
  seen += found.length;
  const foreign = found.filter((number) => !maySee(pages[number] ?? { groups: [] }, filter));
  expect(foreign, `${where} with ${JSON.stringify(filter)}`).toEqual([]);
}

let docs: Awaited<ReturnType<typeof temporaryFolder>>;
let model: ScriptedModel;
let docent: TestDocent;

beforeAll(async () => {
  docs = await temporaryFolder();
  await mkdir(join(docs.path, 'all'));
  await Promise.all(
    pages.map((page, number) => {
      const [one, other] = [random.pick(subjects), random.pick(subjects)];
      const front = Object.entries(page).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
      const text = `---\n${front.join('\n')}\n---\n\n# The ${one} canary${number}\n\nSet the ${other} of the ${one} with canary${number}.\n\n## Reset the ${other}\n\nPress canary${number} to reset the ${other}.\n`;
      return writeFile(join(docs.path, 'all', `page-${number}.md`), text);
    }),
  );
  // A model that keeps nothing to itself of what it is told about pages.
  model = await startScriptedModel([
    { reply: ({ text }) => `${[...betrayed(text)].map((one) => `canary${one}`).join(' ')} [1]` },
  ]);
  const site = { docs: { folder: docs.path, baseUrl: 'https://docs.kestrel.example' } };
  docent = await startDocent({ model, site, groups });
  const { retriever, sites } = docent.docent.services;
  await indexSite({ domain: 'kestrel-docs', docs: sites.named('kestrel-docs').docs, retriever });
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await model.close();
  await docs[Symbol.asyncDispose]();
});

const question = () => `How do I set the ${random.pick(subjects)} of the ${random.pick(subjects)}?`;

test('search', async () => {
  for (let round = 0; round < 60; round += 1) {
    const filter = randomFilter();
    const body = { query: question(), pageSize: 50, filter };
    const { body: hits } = await postJson(docent, '/discovery/v1/search/kestrel-docs', body);
    expectNothingForeign(JSON.stringify(hits), filter, 'search');
  }
  expect(seen).toBeGreaterThan(500);
});

test('a page by its path, in several spellings', async () => {
  let hidden = 0;
  for (let number = 0; number < pages.length; number += 1) {
    const filter = randomFilter();
    const path = `${random.pick(['/', '', 'https://docs.kestrel.example/'])}all/page-${number}${random.pick(['', '/', '.html', '.md'])}`;
    const read = await postJson(docent, '/discovery/v1/page/kestrel-docs', { path, filter });
    const isShown = maySee(pages[number] ?? {}, filter);
    hidden += Number(!isShown);
    if (!path.endsWith('.md')) expect(read.status, path).toBe(isShown ? 200 : 404);
    if (read.status === 200) expectNothingForeign(JSON.stringify(read.body), filter, 'a page');
    else expect(JSON.stringify(read.body)).not.toContain('canary');
  }
  expect(hidden).toBeGreaterThan(50);
});

test('agents: search and read_page', async () => {
  const client = new Client({ name: 'tests', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(`${docent.url}/mcp/kestrel-docs`), {
    requestInit: { headers: { authorization: `Bearer ${docent.key}` } },
  });
  await client.connect(transport as Transport);
  for (let round = 0; round < 40; round += 1) {
    const filter = randomFilter();
    const found = await client.callTool({
      name: 'search',
      arguments: { query: question(), pageSize: 50, filter },
    });
    expectNothingForeign(JSON.stringify(found), filter, 'search of an agent');
    const number = random.below(pages.length);
    const read = await client.callTool({
      name: 'read_page',
      arguments: { path: `/all/page-${number}`, filter },
    });
    expect(read.isError ?? false).toBe(!maySee(pages[number] ?? {}, filter));
    expectNothingForeign(JSON.stringify(read).replace(`page-${number}`, ''), filter, 'read_page');
  }
  await client.close();
});

const sourcesOf = (parts: Part[]) => parts.filter((part) => part.type === 'source-url');

test('answers: what the model is told, what it says, and its sources', async () => {
  let sources = 0;
  let said = 0;
  for (let round = 0; round < 60; round += 1) {
    const filter = randomFilter();
    const body = toBody(question(), { filter, retrievalPageSize: 10 });
    const { parts, raw } = await docent.ask(body);
    sources += sourcesOf(parts).length;
    said += betrayed(textOf(parts)).size;
    expectNothingForeign(raw, filter, 'an answer');
    expectNothingForeign(model.last.text, filter, 'the prompt');
  }
  expect(sources).toBeGreaterThan(100);
  expect(said).toBeGreaterThan(100);
});

test('follow-ups with another filter: earlier answers that were made from more are left out', async () => {
  let kept = 0;
  let leftOut = 0;
  for (let round = 0; round < 12; round += 1) {
    let threadId: string | undefined;
    for (let turn = 0; turn < 5; turn += 1) {
      const filter = random.isTrue(0.3) ? {} : randomFilter();
      const text = turn === 0 ? question() : random.pick(['And how do I reset it?', question()]);
      const body = toBody(text, { filter, threadId, store: random.isTrue(0.8) });
      const asked = await docent.ask(body);
      expect(asked.status).toBe(200);
      if (turn === 0) threadId = asked.headers.get('x-thread-id') ?? '';
      if (threadId?.startsWith('unstored')) threadId = undefined;
      expectNothingForeign(asked.raw, filter, 'a follow-up');
      expectNothingForeign(model.last.text, filter, 'the prompt of a follow-up');
      for (const { role, content } of model.last.body.messages ?? []) {
        if (role !== 'assistant') continue;
        if (String(content).includes('canary')) kept += 1;
        else if (String(content).includes('is left out')) leftOut += 1;
      }
    }
  }
  // Both do happen, so the test says something.
  expect(kept).toBeGreaterThan(3);
  expect(leftOut).toBeGreaterThan(10);
});

test('another answer to the same question, with a narrower filter', async () => {
  const text = 'How do I set the station of the station?';
  const wide = await docent.ask(toBody(text, { filter: { groups } }));
  const threadId = wide.headers.get('x-thread-id') ?? '';
  const narrow = toBody(text, { threadId, filter: {}, trigger: 'regenerate-message' });
  const { raw } = await docent.ask(narrow);
  expectNothingForeign(raw + model.last.text, {}, 'another answer');
});
