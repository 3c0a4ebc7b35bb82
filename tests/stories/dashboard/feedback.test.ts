/** D15: the team works through readers' feedback, and nobody overwrites somebody else's change. */
import { FeedbackDetail, FeedbackListResponse } from '@docent/shared/analytics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { partOf, toBody } from '../../support/ask.ts';
import { postJson } from '../../support/call.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let editor: Awaited<ReturnType<typeof addPerson>>;
beforeAll(async () => {
  docent = await startDocent();
  editor = await addPerson(docent, 'editor');
});
afterAll(() => docent[Symbol.asyncDispose]());

const rate = async (body: object) => {
  const { status, body: given } = await postJson(
    docent,
    '/discovery/v1/feedback/kestrel-docs',
    body,
  );
  expect(status).toBe(200);
  return `/v1/feedback/kestrel-docs/${String(given['id'])}`;
};
const page = { fp: 'jo', path: '/install' };
const read = async (path: string) => FeedbackDetail.parse(await (await editor.fetch(path)).json());
const change = (path: string, body: object) => editor.fetch(path, { method: 'PATCH', body });
const inbox = async (query: string) =>
  FeedbackListResponse.parse(
    await (await editor.fetch(`/v1/analytics/kestrel-docs/feedback${query}`)).json(),
  );

test('open, in progress, done; with an assignee, notes, and the conversation', async () => {
  const asked = await docent.ask(toBody('How do I install Kestrel?', { fp: 'jo' }));
  const messageId = partOf(asked.parts, 'start')?.['messageId'];
  const path = await rate({ fp: 'jo', messageId, rating: 'down', reasons: ['outdated'] });
  const first = await read(path);
  expect(first).toMatchObject({
    state: 'open',
    assignee: null,
    version: 1,
    question: 'How do I install Kestrel?',
    threadId: asked.headers.get('x-thread-id'),
    notes: [],
  });
  expect(first.people).toContainEqual({ id: editor.id, name: 'A editor' });

  const started = await change(path, { version: 1, state: 'in-progress', assignee: editor.id });
  expect(started.status).toBe(200);
  const noted = await change(path, { version: 2, note: 'Asked the team of the installer.' });
  expect(FeedbackDetail.parse(await noted.json())).toMatchObject({
    version: 3,
    state: 'in-progress',
    assignee: { id: editor.id, name: 'A editor' },
    notes: [{ author: { name: 'A editor' }, text: 'Asked the team of the installer.' }],
  });
  const mine = await inbox(`?state=in-progress&assignee=${editor.id}&rating=down`);
  expect(mine.feedback).toMatchObject([{ id: first.id, assignee: { name: 'A editor' } }]);
  expect(mine.counts).toMatchObject({ 'in-progress': 1 });
  expect((await change(path, { version: 3, state: 'done' })).status).toBe(200);
  expect((await inbox('?state=open')).feedback.some(({ id }) => id === first.id)).toBe(false);
  const audit = docent.docent.services.audit;
  const entries = await audit.list('kestrel', { type: 'feedback.changed', limit: 10 });
  expect(entries).toHaveLength(3);
});

test('the second of two changes is refused with the current state', async () => {
  const path = await rate({ ...page, rating: 'down', note: 'The command is wrong.' });
  const both = await Promise.all([
    change(path, { version: 1, state: 'done' }),
    change(path, { version: 1, state: 'dismissed' }),
  ]);
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const refused = both.find(({ status }) => status === 409);
  const { state } = await read(path);
  expect(await refused?.json()).toMatchObject({
    code: 'conflict',
    details: expect.arrayContaining([
      { path: 'version', message: 'is 2 now' },
      { path: 'state', message: `is ${state} now` },
    ]),
  });
});

test('a reader who says more opens it again; a rating up alone asks for nothing', async () => {
  const path = await rate({ ...page, fp: 'kim', rating: 'up' });
  expect(await read(path)).toMatchObject({ state: 'done', version: 1 });
  await rate({ ...page, fp: 'kim', rating: 'down', note: 'On second thought, it fails.' });
  expect(await read(path)).toMatchObject({ state: 'open', version: 2 });
  await change(path, { version: 2, state: 'in-progress' });
  await rate({ ...page, fp: 'kim', rating: 'down', note: 'It fails on Windows.' });
  expect(await read(path)).toMatchObject({ state: 'in-progress', version: 4 });
});

test('someone from elsewhere is no assignee, and feedback of another site is not found', async () => {
  const path = await rate({ ...page, fp: 'lou', rating: 'down' });
  const foreign = await addPerson(docent, 'owner', 'osprey');
  const refused = await change(path, { version: 1, assignee: foreign.id });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ details: [{ path: 'assignee' }] });
  expect((await foreign.fetch(path)).status).toBe(404);
  const elsewhere = path.replace('kestrel-docs', 'kestrel-blog');
  expect((await change(elsewhere, { version: 1, state: 'done' })).status).toBe(404);
});
