import { describe, expect, test } from 'vitest';
import { mergeMessages } from './merge-messages.ts';
import type { Message } from '../chat/message.ts';

const message = (id: string, text = id): Message => ({
  id,
  role: id.startsWith('q') ? 'user' : 'assistant',
  text,
  sources: [],
  context: [],
});
const list = (ids: string) => (ids ? ids.split(' ').map((id) => message(id)) : []);

describe('messages of two tabs', () => {
  test.each([
    ['nothing happened', 'q1 a1', 'q1 a1', 'q1 a1', 'q1 a1'],
    ['asked there', 'q1 a1', 'q1 a1', 'q1 a1 q2 a2', 'q1 a1 q2 a2'],
    ['asked here', 'q1 a1', 'q1 a1 q2 a2', 'q1 a1', 'q1 a1 q2 a2'],
    ['asked in both', 'q1 a1', 'q1 a1 q3 a3', 'q1 a1 q2 a2', 'q1 a1 q2 a2 q3 a3'],
    ['asked in both, first of all', '', 'q3 a3', 'q2 a2', 'q2 a2 q3 a3'],
    ['answered again there', 'q1 a1', 'q1 a1', 'q1 a9', 'q1 a9'],
    ['answered again here', 'q1 a1', 'q1 a9', 'q1 a1', 'q1 a9'],
    ['edited there, asked here', 'q1 a1 q2 a2', 'q1 a1 q2 a2 q3', 'q1 a1', 'q1 a1 q3'],
    ['cut at the beginning there', 'q1 a1 q2 a2', 'q1 a1 q2 a2', 'q2 a2 q3 a3', 'q2 a2 q3 a3'],
  ])('%s', (_name, base, mine, theirs, merged) => {
    const found = mergeMessages(list(base), list(mine), list(theirs));
    expect(found.map(({ id }) => id).join(' ')).toBe(merged);
  });
  test('of a message that grew, the one that was changed counts', () => {
    const base = [message('a1', 'half')];
    const whole = [message('a1', 'half and whole')];
    expect(mergeMessages(base, base, whole)).toEqual(whole);
    expect(mergeMessages(base, whole, base)).toEqual(whole);
  });
});
