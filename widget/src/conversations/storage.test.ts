import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Message } from '../chat/message.ts';
import type { Saved } from './saved.ts';
import { createStorage } from './storage.ts';

const site = 'docs.example.com';
const key = `docent:${site}`;
const message = (id: string, text = 'Hi'): Message => ({
  id,
  role: 'user',
  text,
  sources: [],
  context: [],
});
const saved = (id: string, more: Partial<Saved> = {}): Saved => ({
  id,
  threadId: `thread-${id}`,
  title: `About ${id}`,
  createdAt: 1000,
  updatedAt: 1000,
  messages: [message(`${id}-1`)],
  running: undefined,
  ...more,
});
const body = (id: string) => localStorage.getItem(`${key}:c:${id}`);
const titles = (storage = createStorage(site)) => storage.list().map(({ title }) => title);

/** A storage with room for so many characters. */
function limitTo(room: number): Map<string, string> {
  const texts = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => texts.get(name) ?? null,
    setItem(name: string, value: string) {
      const others = [...texts].filter(([each]) => each !== name);
      const used = others.reduce((sum, [each, text]) => sum + each.length + text.length, 0);
      if (used + name.length + value.length > room)
        throw new DOMException('full', 'QuotaExceededError');
      texts.set(name, value);
    },
    removeItem: (name: string) => texts.delete(name),
    key: (at: number) => [...texts.keys()][at] ?? null,
    get length() {
      return texts.size;
    },
  });
  return texts;
}

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});

describe('conversations', () => {
  test('are read as they were saved, for this site only', () => {
    const storage = createStorage(site);
    expect(storage.loadCurrent()).toBeUndefined();
    expect(storage.list()).toEqual([]);
    const one = saved('a', { running: { questionId: 'c', messageId: 'm', startedAt: 5 } });
    storage.save(one);
    expect(createStorage(site).load('a')).toEqual(one);
    expect(createStorage('other.example.com').list()).toEqual([]);
  });
  test('reading writes nothing; the reader gets an ID with the first question, once', () => {
    const storage = createStorage(site);
    storage.loadCurrent();
    storage.markCurrent(undefined);
    expect([localStorage.length, sessionStorage.length]).toEqual([0, 0]);
    const fp = storage.needFp();
    expect(fp).toMatch(/^[0-9a-f]{24}$/);
    expect([storage.needFp(), createStorage(site).fp()]).toEqual([fp, fp]);
  });
  test('the newest is first, and a new tab shows it', () => {
    const storage = createStorage(site);
    storage.save(saved('a', { updatedAt: 3 }));
    storage.save(saved('b', { updatedAt: 9 }));
    storage.save(saved('c', { updatedAt: 1 }));
    expect(titles()).toEqual(['About b', 'About a', 'About c']);
    expect(createStorage(site).loadCurrent()?.id).toBe('b');
  });
  test('a tab shows what it showed before, also a new one', () => {
    const storage = createStorage(site);
    storage.needFp();
    storage.save(saved('a', { updatedAt: 3 }));
    storage.save(saved('b', { updatedAt: 9 }));
    storage.markCurrent('a');
    expect(createStorage(site).loadCurrent()?.id).toBe('a');
    storage.markCurrent(undefined);
    expect(createStorage(site).loadCurrent()).toBeUndefined();
  });
  test('a growing answer writes its own conversation only', () => {
    const storage = createStorage(site);
    storage.save(saved('a'));
    const real = localStorage;
    const written: string[] = [];
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => real.getItem(name),
      setItem(name: string, text: string) {
        written.push(name);
        real.setItem(name, text);
      },
    });
    storage.save(saved('a', { messages: [message('a-1'), message('a-2')] }));
    expect(storage.load('a')?.messages).toHaveLength(2);
    expect(written).toEqual([`${key}:c:a`]);
  });
  test('changes of another tab are read; without changes, the object stays the same', () => {
    const [here, there] = [createStorage(site), createStorage(site)];
    here.save(saved('a'));
    const first = here.load('a');
    expect(here.load('a')).toBe(first);
    there.rename('a', 'Other name');
    expect(here.load('a')?.title).toBe('Other name');
    expect(titles(here)).toEqual(['Other name']);
  });
  test('keep their last 60 messages, and there are at most 50', () => {
    const storage = createStorage(site);
    const many = Array.from({ length: 100 }, (_, at) => message(`m${at}`));
    storage.save(saved('long', { messages: many, updatedAt: 10_000 }));
    expect(storage.load('long')?.messages).toHaveLength(60);
    expect(storage.load('long')?.messages[0]?.id).toBe('m40');
    for (let at = 0; at < 60; at++) storage.save(saved(`c${at}`, { updatedAt: 100 + at }));
    expect(storage.list()).toHaveLength(50);
    expect(storage.list().at(-1)?.id).toBe('c11');
    expect([body('c10'), body('c11')]).toEqual([null, expect.any(String)]);
  });
});

describe('deleting', () => {
  test('removes the conversation here, and at the service later', () => {
    const storage = createStorage(site);
    storage.save(saved('a'));
    storage.save(saved('b'));
    storage.remove(['a']);
    expect(titles()).toEqual(['About b']);
    expect(body('a')).toBeNull();
    expect(createStorage(site).unsent()).toEqual([{ id: 'a', threadId: 'thread-a' }]);
    storage.markSent('thread-a');
    expect(createStorage(site).unsent()).toEqual([]);
  });
  test("isn't undone by another tab that saves the conversation", () => {
    const [here, there] = [createStorage(site), createStorage(site)];
    here.save(saved('a'));
    there.remove(['a']);
    expect(here.save(saved('a', { title: 'Again' }))).toBe(false);
    expect([titles(here), body('a')]).toEqual([[], null]);
  });
  test('can be undone', () => {
    const storage = createStorage(site);
    storage.save(saved('a'));
    const removed = storage.remove(['a']);
    storage.restore(removed);
    expect([titles(), storage.unsent()]).toEqual([['About a'], []]);
    expect(storage.load('a')).toEqual(saved('a'));
  });
});

describe('a storage that is', () => {
  test.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['of a later version', JSON.stringify({ version: 99, conversations: [] })],
    ['without a list', JSON.stringify({ version: 1, fp: 'a', conversations: 'x' })],
  ])('%s: conversations are found again by themselves', (_name, text) => {
    createStorage(site).save(saved('a'));
    localStorage.setItem(key, text);
    const storage = createStorage(site);
    expect(titles(storage)).toEqual(['About a']);
    localStorage.removeItem(`${key}:c:a`);
    expect([storage.list(), storage.loadCurrent()]).toEqual([[], undefined]);
  });
  test('damaged in one conversation: the others are complete', () => {
    const storage = createStorage(site);
    storage.save(saved('a'));
    storage.save(saved('b', { messages: [message('b-1'), message('b-2')] }));
    localStorage.setItem(`${key}:c:a`, 'broken');
    const half = JSON.parse(body('b') ?? '') as { messages: unknown[] };
    half.messages[0] = { id: 5 };
    localStorage.setItem(`${key}:c:b`, JSON.stringify(half));
    expect(storage.load('a')).toBeUndefined();
    expect(storage.load('b')?.messages.map(({ id }) => id)).toEqual(['b-2']);
  });
  test('denied: everything works until the page is left', () => {
    const deny = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    const denied = { getItem: deny, setItem: deny, removeItem: deny, key: deny, length: 0 };
    vi.stubGlobal('localStorage', denied);
    vi.stubGlobal('sessionStorage', denied);
    const storage = createStorage(site);
    expect(storage.loadCurrent()).toBeUndefined();
    expect(storage.needFp()).toBe(storage.needFp());
    for (const id of ['a', 'b', 'c']) storage.save(saved(id));
    storage.rename('b', 'Named');
    storage.remove(['c']);
    expect(titles(storage).sort()).toEqual(['About a', 'Named']);
    expect(storage.load('b')?.title).toBe('Named');
    expect(() => storage.markOpen(true)).not.toThrow();
    expect(() => storage.markOpen(false)).not.toThrow();
  });
  test('full: the oldest conversations make room', () => {
    const texts = limitTo(4000);
    const storage = createStorage(site);
    const long = (id: string, updatedAt: number) =>
      saved(id, { updatedAt, messages: [message(id, 'x'.repeat(600))] });
    for (let at = 0; at < 10; at++) storage.save(long(`c${at}`, at));
    const kept = titles();
    expect(kept.length).toBeGreaterThan(1);
    expect(kept.length).toBeLessThan(10);
    expect(kept[0]).toBe('About c9');
    expect(texts.has(`${key}:c:c0`)).toBe(false);
    expect(createStorage(site).load('c9')).toEqual(long('c9', 9));
  });
  test('too small for one conversation: complete on this page, its last turns on the next', () => {
    limitTo(1200);
    const storage = createStorage(site);
    const many = Array.from({ length: 30 }, (_, at) => message(`m${at}`));
    storage.save(saved('a', { messages: many }));
    expect(storage.load('a')?.messages).toHaveLength(30);
    expect(
      createStorage(site)
        .load('a')
        ?.messages.map(({ id }) => id),
    ).toEqual(['m26', 'm27', 'm28', 'm29']);
  });
  test('without any room: everything works until the page is left', () => {
    limitTo(0);
    const storage = createStorage(site);
    for (const id of ['a', 'b']) storage.save(saved(id));
    expect(titles(storage).sort()).toEqual(['About a', 'About b']);
  });
});

describe('a tab', () => {
  test('reports changes of other tabs: a conversation, or the list', () => {
    const gone = new AbortController();
    const heard: (string | undefined)[] = [];
    createStorage(site).onChange((id) => heard.push(id), gone.signal);
    const tell = (name: string | null) => dispatchEvent(new StorageEvent('storage', { key: name }));
    for (const name of [key, `${key}:c:a`, 'docent:other', 'theme', null]) tell(name);
    gone.abort();
    tell(key);
    expect(heard).toEqual([undefined, 'a', undefined]);
  });
  test('marks the open panel for itself', () => {
    createStorage(site).markOpen(true);
    expect(sessionStorage.getItem(`${key}:open`)).toBe('1');
    createStorage(site).markOpen(false);
    expect(sessionStorage.length).toBe(0);
  });
});
