/** From a question without an answer to the same question with one: after a merge, on request, and lost again. */
import type { GapStory } from '@docent/shared/analytics';
import type { OverviewReply } from '@docent/shared/overview';
import { describe, expect, test } from 'vitest';
import { partOf, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { type DocsRepository, type FileInput, makeRepository } from '../support/docs-repository.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import {
  startDocent,
  type StartOptions,
  type TestDocent,
  toModel,
} from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const invoices = 'Does billing accept bitcoin for invoices?';
const refunds = 'bitcoin billing refunds, how long do invoices take?';
const page = '# Pay with bitcoin\n\nBilling accepts bitcoin for invoices since version 2.\n';
const refundPage =
  '# Refunds of bitcoin\n\nBilling takes two days for bitcoin refunds, however long invoices take.\n';
const tokens = '# Tokens\n\nRotate an access token with the command rotate.\n';
const home = '# Kestrel\n\nKestrel watches your sensors.\n';

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
  const command = {
    type: 'add-page',
    path: 'bitcoin.md',
    title: 'Pay with bitcoin',
    content: page,
  };
  const body = { messageIds, command };
  const path = '/v1/analytics/kestrel-docs/unanswered/job';
  const { status } = await postJson(docent, path, body, admin(docent));
  expect(status).toBe(201);
  return waitFor('the pull request', async () => {
    const [gap] = await gaps(docent);
    return gap?.state === 'in-review' && gap;
  });
}

async function askAgain(docent: TestDocent, id: string, questions: number): Promise<void> {
  const path = `/v1/gaps/kestrel-docs/${id}/ask`;
  const { status, body } = await postJson(docent, path, {}, admin(docent));
  expect([status, body]).toEqual([202, { questions }]);
}

const line = (kind: string, text: string) =>
  `${new RegExp(`<<\\w+:${kind}>>`).exec(text)?.[0] ?? ''}\n`;

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
    // One of them is still open, so the gap is.
    const after = await settled(docent, gap.id, 'open');
    expect(after).toMatchObject({ answered: 1, count: 2, lost: 0, answeredAt: null });
    const one = after.answers.find(({ question }) => question === invoices);
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
    const other = after.answers.find(({ question }) => question === refunds);
    expect(other?.after).toMatchObject({ state: 'done', outcome: 'unanswered' });

    // Somebody writes the rest by hand, without a job.
    await docs.commit({ 'docs/refunds.md': refundPage });
    await askAgain(docent, gap.id, 1);
    const closed = await settled(docent, gap.id, 'answered');
    expect(closed.answers.map(({ after: now }) => [now?.cause, now?.outcome])).toEqual(
      expect.arrayContaining([
        ['merge', 'answered'],
        ['owner', 'answered'],
      ]),
    );
    const { body } = await getJson<OverviewReply>(docent, '/v1/overview', admin(docent));
    expect(body.loop).toMatchObject({ current: { closed: 1, lost: 0 }, closedThisMonth: 1 });

    // Nobody asks the same again, and a new question opens the gap.
    expect(await docent.docent.services.askAgain.look()).toBe(0);
    await ask(docent, 'Which bitcoin wallet does billing accept for quantum invoices?');
    expect(await story(docent, gap.id)).toMatchObject({ state: 'open', count: 3, answered: 2 });
  });

  test('its own model answers, within a budget of questions and money', async () => {
    await using docs = await makeDocs();
    await using model = await startScriptedModel();
    const price = { inputPerMillion: 1, outputPerMillion: 1_000 };
    model.reply(({ text }) =>
      text.includes('accepts bitcoin')
        ? [line('answered', text), 'Yes, it does. [1]']
        : [line('unanswered', text), 'The documentation does not say.'],
    );
    const askAgainWith = { maxQuestions: 1, usdPerDay: 0.000_001 };
    await using docent = await start(docs, {
      models: { main: { ...toModel(model.url), price } },
      sites: { 'kestrel-docs': { ...git(docs), askAgain: askAgainWith } },
    });
    const { id } = await ask(docent, invoices);
    await ask(docent, 'Is bitcoin accepted for billing invoices?');
    const [gap] = await gaps(docent);
    expect(gap).toMatchObject({ count: 2 });
    await docs.commit({ 'docs/bitcoin.md': page });
    const asked = model.requests.length;
    await askAgain(docent, gap?.id ?? '', 1);
    const open = await settled(docent, gap?.id ?? '', 'open');
    expect(open).toMatchObject({ answered: 1 });
    const [now] = open.answers.flatMap(({ after }) => after ?? []);
    expect(now).toMatchObject({ model: 'main/scripted', answer: 'Yes, it does. [1]' });
    expect(model.requests).toHaveLength(asked + 1);
    // The money of this day is spent: the other question waits.
    await askAgain(docent, gap?.id ?? '', 1);
    await waitFor('the index run', async () => {
      const run = await docent.docent.services.indexer.runs.read('kestrel-docs');
      return run.status === 'complete' && !run.isRequested;
    });
    expect(await docent.docent.services.askAgain.look()).toBe(0);
    expect(await story(docent, gap?.id ?? '')).toMatchObject({ waiting: 1, answered: 1 });
    expect(id).toBeTruthy();
  });
});

describe('an answer from a page that changes', () => {
  const question = 'How do I rotate an access token?';

  test('that is lost opens a gap, which names the commit; a page that changes otherwise loses nothing', async () => {
    await using docs = await makeDocs({ 'docs/tokens.md': tokens, 'docs/other.md': '# Other\n' });
    await using docent = await start(docs);
    expect((await ask(docent, question)).status).toBe('answered');
    await docs.commit({ 'docs/tokens.md': `${tokens}\nIt takes a minute.\n` });
    await index(docent);
    await docent.docent.services.askAgain.look();
    expect(await gaps(docent)).toEqual([]);

    const commit = await docs.commit({
      'docs/tokens.md': '# Sensors\n\nSensors sleep at night.\n',
    });
    await index(docent);
    const gap = await waitFor('the gap', async () => (await gaps(docent))[0]);
    expect(gap).toMatchObject({ question, state: 'open', lost: 1, answered: 0 });
    const [one] = (await story(docent, gap.id)).answers;
    expect(one).toMatchObject({
      before: { outcome: 'answered' },
      after: { cause: 'index', outcome: 'unanswered', isLost: true, commits: [commit] },
    });
    const { body } = await getJson<OverviewReply>(docent, '/v1/overview', admin(docent));
    expect(body.loop.current).toEqual({ closed: 0, lost: 1 });

    await docs.commit({ 'docs/tokens.md': tokens });
    await askAgain(docent, gap.id, 1);
    expect(await settled(docent, gap.id, 'answered')).toMatchObject({ lost: 0, answered: 1 });
  });

  test('a pull request says before which questions it answers and which it loses, without their words', async () => {
    await using docs = await makeDocs({ 'docs/tokens.md': tokens });
    await using docent = await start(docs);
    await ask(docent, question);
    const { id } = await ask(docent, invoices);
    const gap = await write(docent, [id]);
    const gained = await body(docent, 1);
    expect(gained).toContain("### Readers' questions");
    expect(gained).toMatch(new RegExp(`- Now answered: \\[1\\]\\([^)]*/gaps/${gap.id}\\?site=`));
    expect(gained).not.toContain(invoices);

    const command = {
      type: 'replace-text',
      find: 'Rotate an access token with the command rotate.',
      replace: 'Sensors sleep.',
    };
    await postJson(docent, '/v2/agent/kestrel/job', { command }, admin(docent));
    const lost = await waitFor('the second pull request', () => body(docent, 2));
    expect(lost).toMatch(
      /- No longer answered: \[1\]\([^)]*\/conversations\/\w+\?site=kestrel-docs\), from `\/tokens`/,
    );
    expect(lost).not.toContain(question);
  });

  async function body(docent: TestDocent, number: number): Promise<string | undefined> {
    const path = `/v1/projects/kestrel/pulls/${number}`;
    const { status, body: pull } = await getJson<{ body: string }>(docent, path, admin(docent));
    return status === 200 ? pull.body : undefined;
  }
});
