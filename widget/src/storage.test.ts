import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Message } from './message.ts';
import { createStorage } from './storage.ts';

const site = 'docs.example.com';
const key = `docent:${site}`;
const message = (id: string): Message => ({
  id,
  role: 'user',
  text: 'Hi',
  sources: [],
  context: [],
});
const saved = { fp: 'abc', threadId: 't1', messages: [message('1')] };

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});

describe('storage', () => {
  test('gives back what was saved, for this site only', () => {
    const storage = createStorage(site);
    expect(storage.load()).toBeUndefined();
    storage.save(saved);
    expect(storage.load()).toEqual(saved);
    expect(createStorage('other.example.com').load()).toBeUndefined();
  });
  test.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['a list', '[]'],
    ['another version', JSON.stringify({ version: 99, ...saved })],
    ['no fp', JSON.stringify({ version: 1, messages: [] })],
    ['no list of messages', JSON.stringify({ version: 1, fp: 'a', messages: 'x' })],
  ])('%s: as if nothing was there', (_name, text) => {
    localStorage.setItem(key, text);
    expect(createStorage(site).load()).toBeUndefined();
  });
  test.each([
    ['a wrong role', { ...message('1'), role: 'system' }],
    ['no text', { ...message('1'), text: null }],
    ['a source without an address', { ...message('1'), sources: [{ id: '1' }] }],
    ['a context of no kind', { ...message('1'), context: [{ value: 'x' }] }],
    ['nothing', null],
  ])('messages with %s are dropped, the reader stays known', (_name, broken) => {
    localStorage.setItem(
      key,
      JSON.stringify({ version: 1, fp: 'abc', threadId: 5, messages: [broken] }),
    );
    expect(createStorage(site).load()).toEqual({ fp: 'abc', threadId: undefined, messages: [] });
  });
  test('denied: nothing is thrown', () => {
    const deny = () => {
      throw new DOMException('denied', 'SecurityError');
    };
    const denied = { getItem: deny, setItem: deny, removeItem: deny };
    vi.stubGlobal('localStorage', denied);
    vi.stubGlobal('sessionStorage', denied);
    const storage = createStorage(site);
    expect(storage.load()).toBeUndefined();
    expect(() => storage.save(saved)).not.toThrow();
    expect(() => storage.markOpen(true)).not.toThrow();
    expect(() => storage.markOpen(false)).not.toThrow();
  });
  test('full: the last turns are kept rather than none', () => {
    let stored: string | null = null;
    vi.stubGlobal('localStorage', {
      getItem: () => stored,
      setItem: (_name: string, value: string) => {
        if (value.length > 1000) throw new DOMException('full', 'QuotaExceededError');
        stored = value;
      },
    });
    const storage = createStorage(site);
    storage.save({ ...saved, messages: Array.from({ length: 30 }, (_, at) => message(`m${at}`)) });
    expect(storage.load()?.messages.map(({ id }) => id)).toEqual(['m26', 'm27', 'm28', 'm29']);
  });
  test('a long conversation is cut at its beginning', () => {
    const storage = createStorage(site);
    storage.save({ ...saved, messages: Array.from({ length: 100 }, (_, at) => message(`m${at}`)) });
    expect(storage.load()?.messages[0]?.id).toBe('m40');
  });
  test('the open panel is marked for this tab', () => {
    createStorage(site).markOpen(true);
    expect(sessionStorage.getItem(`${key}:open`)).toBe('1');
    createStorage(site).markOpen(false);
    expect(sessionStorage.length).toBe(0);
  });
});
