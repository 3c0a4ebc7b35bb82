/** From a question without an answer to the same question with one: after a merge, on request, and lost again. */
import type { GapStory } from '@docent/shared/analytics';
import type { OverviewReply } from '@docent/shared/overview';
import { describe, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { type DocsRepository, type FileInput, makeRepository } from '../support/docs-repository.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type StartOptions, type TestDocent, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const invoices = 'Does billing accept bitcoin for invoices?';
const refunds = 'bitcoin billing refunds, how long do invoices take?';
const page = '# Pay with bitcoin\n\nBilling accepts bitcoin for invoices since version 2.\n';
const home = '# Kestrel\n\nKestrel watches your sensors. Rotate an access token with the command rotate.\n';

const git = (docs: DocsRepository): Partial<NonNullable<StartOptions['site']>> => ({
  docs: {
    sources: [{ type: 'git', url: docs.path, folder: 'docs' }],
    baseUrl: 'https://docs.kestrel.example',
  },
});

const projectOf = (docs: DocsRepository, more: object = {}) => ({
  id: 'kestrel',
  organization: 'kestrel',
  repository: docs.path,
  docsRoot: 'docs',
  site: 'kestrel-docs',
  ...more,
});

async function start(docs: DocsRepository, more: StartOptions = {}): Promise<TestDocent> {
  const docent = await startDocent({
    sites: { 'kestrel-docs': git(docs) },
    projects: [projectOf(docs)],
    ...more,
  });
  await index(docent);
  return docent;
}

const admin = (docent: TestDocent) => ({ key: docent.admin });

async function index(docent: TestDocent): Promise<void> {
  await docent.docent.services.indexer.index('kestrel-docs', { acceptFewer: true });
}

const makeDocs = (files: Record<string, FileInput> = {}) =>
  makeRepository({ 'docs/index.md': home, ...files });

async function ask(docent: TestDocent, question: string, fp = 'reader-1') {
  const { parts } = await docent.ask(toBody(question, { fp }));
  return {
    id: partOf(parts, 'start')?.['messageId'] as string,
    status: (partOf(parts, 'data-answer') as { data: { status: string } } | undefined)?.data.status,
  };
}

async function gaps(docent: TestDocent) {
  const path = '/v1/analytics/kestrel-docs/unanswered';
  const { body } = await getJson<{ gaps: GapStory[] }>(docent, path, admin(docent));
  return body.gaps;
}

async function story(docent: TestDocent, id: string): Promise<GapStory> {
  const path = `/v1/gaps/kestrel-docs/${id}`;
  return (await getJson<GapStory>(docent, path, admin(docent))).body;
}

const settled = (docent: TestDocent, id: string, state: GapStory['state']) =>
  waitFor(`the gap to be ${state}`, async () => {
    const gap = await story(docent, id);
    return gap.state === state && gap.waiting === 0 && gap;
  });

/** Writes the page for these questions, and waits for its pull request. */
async function write(docent: TestDocent, messageIds: string[]) {
  const command = { type: 'add-page', path: 'bitcoin.md', title: 'Pay with bitcoin', content: page };
  const body = { messageIds, command };
  const path = '/v1/analytics/kestrel-docs/unanswered/job';
  const { status } = await postJson(docent, path, body, admin(docent));
  expect(status).toBe(201);
  return waitFor('the pull request', async () => {
    const [gap] = await gaps(docent);
    return gap?.state === 'in-review' && gap;
  });
}

async function merge(docent: TestDocent, number: number): Promise<void> {
  const path = `/v1/projects/kestrel/pulls/${number}`;
  const { body } = await getJson<{ head: string }>(docent, path, admin(docent));
  const merged = await postJson(docent, `${path}/merge`, { head: body.head }, admin(docent));
  expect(merged.status).toBe(200);
}

describe('a gap, after its pull request was merged', () => {
  test('is asked again after the index run: old and new answers side by side, and what remains is open', async () => {
    await using docs = await makeDocs();
    await using docent = await start(docs);
    const first = await ask(docent, invoices);
    const second = await ask(docent, refunds, 'reader-2');
    expect([first.status, second.status]).toEqual(['unanswered', 'unanswered']);
    const gap = await write(docent, [first.id, second.id]);
    expect(gap).toMatchObject({ count: 2, readers: 2, answered: 0 });
    await merge(docent, 1);
    const answered = await settled(docent, gap.id, 'answered').catch(() => story(docent, gap.id));
    expect(answered).toMatchObject({ state: 'answered', answered: 2, lost: 0 });
    const [one] = answered.answers;
    expect(one?.before).toMatchObject({ outcome: 'unanswered', sources: [] });
    expect(one?.after).toMatchObject({
      cause: 'merge',
      state: 'done',
      outcome: 'answered',
      answer: expect.stringContaining('accepts bitcoin'),
      sources: [{ url: 'https://docs.kestrel.example/bitcoin' }],
      commits: [await docs.tip()],
      error: null,
    });
    const { body } = await getJson<OverviewReply>(docent, '/v1/overview', admin(docent));
    expect(body.loop).toMatchObject({ current: { closed: 1, lost: 0 }, closedThisMonth: 1 });
  });
});
