/** What is kept of readers: nothing that names them, and nothing at all where they do not want it. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEntry } from '@docent/shared/audit';
import { afterEach, describe, expect, test } from 'vitest';
import { partOf, readRest, readUntil, toBody } from '../support/ask.ts';
import { getJson, postJson } from '../support/call.ts';
import { temporaryFolder } from '../support/fixture.ts';
import { gate, startScriptedModel } from '../support/scripted-model.ts';
import { startDocent, type TestDocent } from '../support/start-docent.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

async function start(options: Parameters<typeof startDocent>[0] = {}) {
  const folder = await temporaryFolder();
  open.push(folder);
  const model = await startScriptedModel();
  open.push(model);
  const docent = await startDocent({ model, dataFolder: folder.path, ...options });
  open.push(docent);
  return { docent, model, folder: folder.path };
}

/** Every byte that the service keeps. */
async function kept(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && !file.parentPath.includes('index'))
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

const question = 'How do I install Kestrel?';

async function rows(docent: TestDocent): Promise<number> {
  const { database } = docent.docent.services;
  const all = await Promise.all([
    database.selectFrom('threads').select('id').execute(),
    database.selectFrom('turns').select('id').execute(),
  ]);
  return all.flat().length;
}

describe('store: false', () => {
  test('keeps nothing, and the conversation goes on with the client’s own history', async () => {
    const { docent, model, folder } = await start();
    const secret = 'unusual-wording-of-mine';
    const first = await docent.ask(toBody(`${question} ${secret}`, { store: false }));
    expect(first.status).toBe(200);
    const threadId = first.headers.get('x-thread-id') ?? '';
    expect(threadId).toMatch(/^unstored_/);

    // As a chat SDK sends it: the thread id that it was given, and all messages.
    const messages = [
      { id: 'a', role: 'user', parts: [{ type: 'text', text: `${question} ${secret}` }] },
      { id: 'b', role: 'assistant', parts: [{ type: 'text', text: 'With one command.' }] },
      { id: 'c', role: 'user', parts: [{ type: 'text', text: 'And on Windows?' }] },
    ];
    const second = await docent.ask({ fp: 'reader-7', messages, threadId, store: false });
    expect(second.status).toBe(200);
    expect(second.headers.get('x-thread-id')).toBe(threadId);
    expect(model.requests.at(-1)?.text).toContain(secret);

    expect(await rows(docent)).toBe(0);
    expect(await kept(folder)).not.toContain(secret);
  });

  test('in the middle of a conversation that is stored, this question alone is not', async () => {
    const { docent } = await start();
    const first = await docent.ask(question);
    const threadId = first.headers.get('x-thread-id') ?? '';
    const body = toBody('And on Windows?', { store: false, threadId });
    expect((await docent.ask(body)).headers.get('x-thread-id')).toBe(threadId);
    expect((await docent.turns(threadId)).map((turn) => turn.question)).toEqual([question]);
    const foreign = { ...body, threadId: '01ARZ3NDEKTSV4RRFFQ69G5FAV' };
    expect((await docent.ask(foreign)).status).toBe(404);
  });

  test('of a site holds for all its readers', async () => {
    const { docent } = await start({ site: { privacy: { store: false } } });
    const asked = await docent.ask(toBody(question, { store: true }));
    expect(asked.headers.get('x-thread-id')).toMatch(/^unstored_/);
    expect(await rows(docent)).toBe(0);
  });

  test('a conversation that was not stored may become one that is', async () => {
    const { docent } = await start();
    const asked = await docent.ask(question, { threadId: 'unstored_01ARZ3NDEKTSV4RRFFQ69G5FAV' });
    expect(asked.headers.get('x-thread-id')).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(await rows(docent)).toBe(2);
  });
});

describe('what is stored', () => {
  const card = ['4111', '1111', '1111', '1111'].join(' ');
  const mail = 'jane.doe@canary.example';
  const key = `sk-${'aB3dE6gH9jK2mN5p'.repeat(3)}`;
  const canaries = [card, mail, key, 'jane.doe'];

  async function expectNoCanary(folder: string) {
    const text = await kept(folder);
    expect(text).toContain('How do I install Kestrel');
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  }

  test('holds no e-mail address, key or card number, wherever it stood', async () => {
    const { docent, model, folder } = await start();
    const all = `${card} ${mail} ${key}`;
    model.once([`You sent ${all}. [1]`]);
    const context = [{ type: 'textSelection', value: `selected ${all}`, path: `/a?m=${mail}` }];
    const asked = await docent.ask(
      toBody(`${question} ${all}`, { fp: mail, context, currentPath: `/install?who=${mail}` }),
      { headers: { 'user-agent': `Browser ${mail} ${key}` } },
    );
    // The reader's own screen shows the answer as it was made; only what is kept is cleaned.
    expect(asked.text).toContain('You sent');
    const threadId = asked.headers.get('x-thread-id') ?? '';
    const again = await docent.ask(toBody(`Again ${all}`, { fp: mail, threadId }));
    expect(again.status).toBe(200);
    const other = await docent.ask(toBody('Mine', { fp: `other-${mail}`, threadId }));
    expect(other.status).toBe(404);
    const messageId = partOf(asked.parts, 'start')?.['messageId'];
    const feedback = { fp: mail, messageId, rating: 'down', note: `Wrong: ${all}` };
    const path = '/discovery/v1/feedback/kestrel-docs';
    expect((await postJson(docent, path, feedback)).status).toBe(200);
    await expectNoCanary(folder);
  });
});

describe('forgetting', () => {
  const wording = 'unusual-wording-of-theirs';

  test('a reader takes all that is theirs on this site, and nothing of others', async () => {
    const { docent, folder } = await start();
    const { database } = docent.docent.services;
    const asked = await docent.ask(toBody(`${question} ${wording}`, { fp: 'jo' }));
    const messageId = partOf(asked.parts, 'start')?.['messageId'];
    const feedback = { rating: 'up', note: wording };
    const path = '/discovery/v1/feedback/kestrel-docs';
    await postJson(docent, path, { fp: 'jo', messageId, ...feedback });
    await postJson(docent, path, { fp: 'jo', path: '/install', ...feedback });
    await docent.ask(toBody(question, { fp: 'other' }));
    await docent.ask(toBody(question));
    const admin = await docent.keys.create({ kind: 'admin', organization: 'kestrel', name: 'a' });
    const forget = (fp: string, key = admin.token, domain = 'kestrel-docs') =>
      postJson(docent, `/v1/readers/${domain}/forget`, { fp }, { key });

    expect((await forget('jo', docent.key)).status).toBe(403);
    expect((await forget('jo', admin.token, 'osprey-docs')).status).toBe(404);
    expect((await forget('anonymous')).status).toBe(400);
    expect((await forget('jo')).body).toEqual({ threads: 1, questions: 1, feedback: 2 });
    expect((await forget('jo')).body).toEqual({ threads: 0, questions: 0, feedback: 0 });
    // The trail tells that somebody did this, and nothing that leads to the reader.
    const audit = '/v1/audit?type=reader';
    const { body: trail } = await getJson<{ entries: AuditEntry[] }>(docent, audit, {
      key: admin.token,
    });
    const counts = { threads: 1, questions: 1, feedback: 2 };
    const [, first] = trail.entries;
    expect(first).toMatchObject({
      type: 'reader.forgotten',
      actor: { kind: 'key', name: 'a' },
      data: { domain: 'kestrel-docs', ...counts },
    });
    expect(Object.keys(first?.data ?? {})).toEqual(['domain', ...Object.keys(counts)]);
    expect(await database.selectFrom('turns').select('id').execute()).toHaveLength(2);
    expect(await database.selectFrom('feedback').select('id').execute()).toEqual([]);
    await docent.docent.close();
    expect(await kept(folder)).not.toContain(wording);
  });

  test('one conversation: by the reader who had it, with what they thought of it', async () => {
    const { docent, folder } = await start();
    const { database } = docent.docent.services;
    const asked = await docent.ask(toBody(`${question} ${wording}`, { fp: 'jo' }));
    const threadId = asked.headers.get('x-thread-id') ?? '';
    const messageId = partOf(asked.parts, 'start')?.['messageId'];
    const path = '/discovery/v1/feedback/kestrel-docs';
    await postJson(docent, path, { fp: 'jo', messageId, rating: 'up', note: wording });
    await postJson(docent, path, { fp: 'jo', path: '/install', rating: 'up' });
    const other = await docent.ask(toBody('And on Windows?', { fp: 'jo' }));
    const nameless = await docent.ask(toBody(question));
    const remove = async (id: string | null, fp?: string, domain = 'kestrel-docs') => {
      const headers = { authorization: `Bearer ${docent.key}`, ...(fp && { 'x-fp': fp }) };
      const url = `${docent.url}/discovery/v1/thread/${domain}/${id}`;
      const response = await fetch(url, { method: 'DELETE', headers });
      const body = (await response.text()).replace(/"requestId":"[^"]*"/, '');
      return { status: response.status, body };
    };

    // The same words for all that is not theirs.
    const never = await remove('01ARZ3NDEKTSV4RRFFQ69G5FAV', 'jo');
    expect(never).toMatchObject({ status: 404, body: expect.stringContaining('of yours') });
    expect(await remove(threadId, 'bo')).toEqual(never);
    expect(await remove(threadId)).toEqual(never);
    expect(await remove(nameless.headers.get('x-thread-id'))).toEqual(never);
    expect(await remove(nameless.headers.get('x-thread-id'), 'anonymous')).toEqual(never);
    expect((await remove(threadId, 'jo', 'osprey-docs')).status).toBe(404);
    expect((await docent.turns(threadId)).length).toBe(1);

    expect((await remove(threadId, 'jo')).status).toBe(204);
    expect(await remove(threadId, 'jo')).toEqual(never);
    const threads = await database.selectFrom('threads').select('id').execute();
    expect(threads.map(({ id }) => id)).toEqual([
      other.headers.get('x-thread-id'),
      nameless.headers.get('x-thread-id'),
    ]);
    const opinions = await database.selectFrom('feedback').select('path').execute();
    expect(opinions).toEqual([{ path: '/install' }]);
    const again = await docent.ask(toBody('More?', { fp: 'jo', threadId }));
    expect(again.status).toBe(404);
    await docent.docent.close();
    expect(await kept(folder)).not.toContain(wording);
  });

  test('ends the reader’s answer that is being made, and nobody reads it again', async () => {
    const { docent, model, folder } = await start({ streamTimeouts: { graceMs: 10_000 } });
    const held = gate();
    model.once([wording, held, ' and more']);
    const { parts } = await docent.open(toBody(question, { fp: 'jo' }));
    const seen = await readUntil(parts, 'text-delta');
    const messageId = partOf(seen, 'start')?.['messageId'] as string;
    const admin = await docent.keys.create({ kind: 'admin', organization: 'kestrel', name: 'a' });
    const path = '/v1/readers/kestrel-docs/forget';
    await postJson(docent, path, { fp: 'jo' }, { key: admin.token });
    expect((await readRest(parts)).at(-1)).toEqual({ type: 'abort' });
    const again = await docent.resume(messageId, { headers: { 'x-fp': 'jo' } });
    expect(again.response.status).toBe(204);
    expect(await rows(docent)).toBe(0);
    await docent.docent.close();
    expect(await kept(folder)).not.toContain(wording);
  });

  test('ends an answer that is only being opened: no model is asked, nobody reads it, nothing is kept', async () => {
    const { docent, model, folder } = await start({
      site: { rewriteFollowUps: true },
      streamTimeouts: { graceMs: 10_000 },
    });
    const first = await docent.ask(toBody(question, { fp: 'jo' }));
    const threadId = first.headers.get('x-thread-id') ?? '';
    const held = gate();
    model.once([held, `${wording}?`]);
    const asked = model.requests.length;
    const key = crypto.randomUUID();
    const headers = { authorization: `Bearer ${docent.key}`, 'x-fp': 'jo' };
    const opened = docent.open(toBody('And on Windows?', { fp: 'jo', threadId }), {
      headers: { 'idempotency-key': key },
    });
    await model.request(asked + 1);
    const path = `/discovery/v1/thread/kestrel-docs/${threadId}`;
    const deleted = await fetch(docent.url + path, { method: 'DELETE', headers });
    expect(deleted.status).toBe(204);
    held.open();
    const { parts, response } = await opened;
    expect(response.headers.get('x-thread-id')).toBe(threadId);
    expect((await readRest(parts)).map(({ type }) => type)).toEqual(['message-metadata', 'abort']);
    const again = await docent.resume(key, { headers: { 'x-fp': 'jo' } });
    expect(again.response.status).toBe(204);
    expect(model.requests.length - asked).toBe(1);
    expect(await rows(docent)).toBe(0);
    await docent.docent.close();
    expect(await kept(folder)).not.toContain(wording);
  });

  test('what is older than the site wants is deleted, also while the service runs', async () => {
    let clock = new Date('2026-01-01T00:00:00.000Z');
    const site = { privacy: { retentionDays: 30 } };
    const { docent, folder } = await start({ site, now: () => clock });
    const old = await docent.ask(`${question} ${wording}`);
    clock = new Date('2026-01-20T00:00:00.000Z');
    const threadId = old.headers.get('x-thread-id') ?? '';
    await docent.ask('And on Windows?', { threadId });
    await docent.docent.close();

    clock = new Date('2026-02-10T00:00:00.000Z');
    const next = await startDocent({ dataFolder: folder, site, now: () => clock });
    open.push(next);
    expect((await next.turns(threadId)).map((turn) => turn.question)).toEqual(['And on Windows?']);
    const another = await next.docent.services.database
      .selectFrom('threads')
      .select('id')
      .execute();
    expect(another).toHaveLength(1);
    await next.docent.close();
    expect(await kept(folder)).not.toContain(wording);
  });
});
