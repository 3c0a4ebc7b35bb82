/** D16: the team merges, splits, and dismisses gaps; one becomes a pull request without a model, and follows it. */
import { type Gap, GapDecisionResponse, GapsResponse } from '@docent/shared/analytics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf, toBody } from '../../support/ask.ts';
import { type DocsRepository, makeRepository } from '../../support/docs-repository.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';
import { waitFor } from '../../support/wait-for.ts';

let docent: TestDocent;
let docs: DocsRepository;
let editor: Awaited<ReturnType<typeof addPerson>>;

beforeAll(async () => {
  docs = await makeRepository({ 'docs/install.md': '---\ntitle: Install\n---\n\nRun it.\n' });
  docent = await startDocent({
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
  editor = await addPerson(docent, 'editor');
  for (const question of [bitcoin, invoices, invoices, penguin]) await ask(question);
});
afterAll(async () => {
  await docent[Symbol.asyncDispose]();
  await docs[Symbol.asyncDispose]();
});

const bitcoin = 'Does billing accept bitcoin invoices?';
const invoices = 'bitcoin billing invoices, is that accepted?';
const penguin = 'Which penguin eats bamboo?';

async function ask(question: string): Promise<string> {
  const asked = await docent.ask(toBody(question, { fp: 'jo', currentPath: '/pricing' }));
  return String(partOf(asked.parts, 'start')?.['messageId']);
}

async function gaps(): Promise<Gap[]> {
  const response = await editor.fetch('/v1/analytics/kestrel-docs/unanswered');
  return GapsResponse.parse(await response.json()).gaps;
}

const gapOf = async (question: string) => {
  const found = (await gaps()).find((gap) =>
    gap.examples.some((example) => example.question === question),
  );
  if (!found) throw new Error(`There is no gap with ${question}`);
  return found;
};
const idsOf = (gap: Gap) => gap.examples.flatMap(({ messageIds }) => messageIds);
const decide = (body: object) => editor.fetch('/v1/gaps/kestrel-docs', { method: 'POST', body });

test('a gap has its readers, its trend, its wordings, and the nearest pages', async () => {
  const gap = await gapOf(bitcoin);
  expect(gap).toMatchObject({ state: 'open', job: null, count: 3, readers: 1 });
  expect(gap.weeks).toHaveLength(5);
  expect(gap.weeks.at(-1)).toBe(3);
  expect(gap.examples).toHaveLength(2);
  expect(idsOf(gap)).toHaveLength(3);
  expect(Array.isArray(gap.nearestPages)).toBe(true);
});

test('merging, splitting, and dismissing hold for questions that come later', async () => {
  const [billing, birds] = [await gapOf(bitcoin), await gapOf(penguin)];
  const merged = await decide({ gaps: [{ messageIds: [...idsOf(billing), ...idsOf(birds)] }] });
  expect(merged.status).toBe(201);
  const id = GapDecisionResponse.parse(await merged.json()).gaps[0]?.id;
  await ask('Which penguin eats bamboo at night?');
  expect(await gaps()).toMatchObject([{ id, count: 5, state: 'open' }]);

  const [all] = await gaps();
  const isBird = (text: string) => text.includes('penguin');
  const some = (are: boolean) =>
    all?.examples
      .filter(({ question }) => isBird(question) === are)
      .flatMap(({ messageIds }) => messageIds);
  const split = {
    gaps: [{ messageIds: some(false) }, { messageIds: some(true), state: 'dismissed' }],
    replaces: [id],
  };
  expect((await decide(split)).status).toBe(201);
  // Somebody else had the page open.
  expect((await decide(split)).status).toBe(409);
  await ask('Which penguin eats bamboo at noon?');
  const after = await gaps();
  expect(after).toHaveLength(2);
  expect(await gapOf(penguin)).toMatchObject({ state: 'dismissed', count: 3 });
  expect(await gapOf(bitcoin)).toMatchObject({ state: 'open', count: 3 });

  const birdsNow = await gapOf(penguin);
  const reopened = { gaps: [{ messageIds: idsOf(birdsNow) }], replaces: [birdsNow.id] };
  expect((await decide(reopened)).status).toBe(201);
  expect(await gapOf(penguin)).toMatchObject({ state: 'open', count: 3 });
});

test('of two people who group the same questions, the second is told', async () => {
  const messageIds = [await ask('Can a walrus sing opera?')];
  const both = await Promise.all([
    decide({ gaps: [{ messageIds }] }),
    decide({ gaps: [{ messageIds }] }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
});

test('questions of another site are not found', async () => {
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const body = { gaps: [{ messageIds: idsOf(await gapOf(bitcoin)) }] };
  const path = '/v1/gaps/osprey-docs';
  expect((await foreign.fetch(path, { method: 'POST', body })).status).toBe(404);
});

test('without a model, a gap becomes a page, a pull request, and its merge', async () => {
  const before = await gapOf(bitcoin);
  const post = (body: object) =>
    editor.fetch('/v1/analytics/kestrel-docs/unanswered/job', { method: 'POST', body });
  const messageIds = before.examples.map(({ messageId }) => messageId);
  const words = await post({ messageIds });
  expect(words.status).toBe(409);
  const command = {
    type: 'add-page',
    path: 'billing.md',
    title: 'Pay with bitcoin',
    content: 'Billing accepts **bitcoin**.',
  };
  const made = await post({ messageIds, command });
  expect(made.status, await made.clone().text()).toBe(201);
  const { job } = await waitFor('the pull request', async () => {
    const gap = await gapOf(bitcoin);
    return gap.state === 'in-review' && gap;
  });
  expect(job).toMatchObject({ project: 'kestrel', status: 'completed' });
  expect(job?.pullRequest).toMatchObject({ number: 1, state: 'open' });

  const { forges, projects } = docent.docent.services;
  const project = projects.byId('kestrel');
  const pull = project && (await forges.localForge(project)?.pull(1));
  const head = (await docs.tip(pull?.branch ?? '')) ?? '';
  await (await addPerson(docent, 'editor')).review('kestrel', 1, 'merge', head);
  expect(await docs.read('docs/billing.md')).toContain('Billing accepts **bitcoin**.');
  expect(await gapOf(bitcoin)).toMatchObject({ state: 'merged', askedSince: 0 });
  await ask(bitcoin);
  expect(await gapOf(bitcoin)).toMatchObject({ state: 'merged', askedSince: 1, count: 4 });
});
