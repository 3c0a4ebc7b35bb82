import { describe, expect, test } from 'vitest';
import { createPartReader, type Part } from './part-reader.ts';
import { applyPart, emptyAnswer } from './reducer.ts';

const line = (part: object) => `data: ${JSON.stringify(part)}\n\n`;
const say = (delta: string) => line({ type: 'text-delta', id: 't', delta });
const begin = line({ type: 'start', messageId: 'a' }) + line({ type: 'text-start', id: 't' });
const end = `${line({ type: 'text-end', id: 't' })}${line({ type: 'finish' })}data: [DONE]\n\n`;
const bytesOf = (text: string) => new TextEncoder().encode(text);

/** What the reader takes of these pieces, and what it failed with. */
function read(pieces: readonly Uint8Array[]) {
  const reader = createPartReader();
  const parts: Part[] = [];
  let failure: unknown;
  try {
    for (const piece of pieces) for (const part of reader.read(piece)) parts.push(part);
  } catch (error) {
    failure = error;
  }
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  return { parts, text, failure, count: reader.count() };
}

describe('the parts of an answer', () => {
  const words = ['Zürich ', '東京 ', '👩‍👩‍👧 ', 'naïve', '\n\n', 'end'];
  const whole = begin + words.map(say).join('') + end;

  test('are the same wherever the bytes are cut, also inside a character', () => {
    const bytes = bytesOf(whole);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { parts, text, failure, count } = read([bytes.slice(0, cut), bytes.slice(cut)]);
      expect([failure, text, count]).toEqual([undefined, words.join(''), 10]);
      expect(parts.filter(({ type }) => type !== 'text-delta').map(({ type }) => type)).toEqual([
        'start',
        'text-start',
        'finish',
      ]);
    }
  });

  test('can arrive byte by byte', () => {
    expect(read([...bytesOf(whole)].map((byte) => Uint8Array.of(byte))).text).toBe(words.join(''));
  });

  test('continue on a new connection after the last one broke inside a character', () => {
    const reader = createPartReader();
    const bytes = bytesOf(begin + say('ü'));
    expect([...reader.read(bytes.slice(0, -9))].map(({ type }) => type)).toEqual([
      'start',
      'text-start',
    ]);
    expect(reader.count()).toBe(2);
    reader.beginConnection();
    expect([...reader.read(bytesOf(say('ü')))]).toEqual([{ type: 'text-delta', delta: 'ü' }]);
  });

  test('of a newer service are ignored, but counted', () => {
    const news = [
      { type: 'hologram', x: 1 },
      { type: 'data-new', data: 1 },
    ];
    const text = begin + news.map(line).join('') + say('a') + end;
    const { parts, failure, count } = read([bytesOf(text)]);
    expect([failure, count]).toEqual([undefined, 7]);
    expect(parts.map(({ type }) => type)).toEqual(['start', 'text-start', 'text-delta', 'finish']);
  });

  test.each([
    'data: {"type":"text-delta","id":"t"}\n\n',
    'data: {"type":"source-url","url":"/a"}\n\n',
    'data: {"type":"error"}\n\n',
    'data: 7\n\n',
    'data: {broken\n\n',
  ])('that are unreadable end the answer after the parts before them: %j', (broken) => {
    const { text, failure } = read([bytesOf(begin + say('a') + broken + say('b'))]);
    expect([text, failure]).toEqual(['a', expect.objectContaining({ reason: 'unreadable' })]);
  });

  test.each([
    [{ finishReason: 'length' }, 'truncated'],
    [{ messageMetadata: { threadId: 't', finishReason: 'length' } }, 'truncated'],
    [{ finishReason: 'content-filter' }, 'withheld'],
    [{ finishReason: 'stop' }, undefined],
    [{ finishReason: 'constructor', messageMetadata: 7 }, undefined],
  ])('say why the answer ended: %j', (fields, ended) => {
    const finish = line({ type: 'finish', ...fields });
    const parts = read([bytesOf(begin + say('a') + finish)]).parts;
    const grown = parts.reduce((all, part) => applyPart(all, part as never), emptyAnswer('own'));
    expect(grown.ended).toBe(ended);
  });

  test('may have comments between them, Windows line ends, several lines of data', () => {
    const text = ': keep-alive\r\n\r\ndata: {"type":\r\ndata: "finish"}\r\nid: 7\r\n\r\ndata: {"ty';
    expect(read([bytesOf(text)]).parts).toEqual([{ type: 'finish' }]);
  });
});

test('an answer grows by its parts, and starts over with its first', () => {
  const source = { type: 'source-url', sourceId: '1', url: '/a', title: 'A' };
  const text =
    begin +
    line(source) +
    line({ ...source, title: 'Once more' }) +
    line({ type: 'data-answer', data: { status: 'answered' } }) +
    say('One. ') +
    line({ type: 'text-start', id: 'u' }) +
    say('Two.') +
    line({ type: 'data-suggestions', data: { questions: ['Next?'] } });
  const parts = read([bytesOf(text)]).parts.filter((part) => part.type !== 'error');
  const grown = parts.reduce(applyPart, emptyAnswer('own'));
  expect(grown).toEqual({
    id: 'a',
    role: 'assistant',
    text: 'One. \n\nTwo.',
    sources: [{ id: '1', url: '/a', title: 'A' }],
    context: [],
    status: 'answered',
    suggestions: ['Next?'],
  });
  expect(applyPart(grown, { type: 'start', messageId: 'a' })).toEqual(emptyAnswer('a'));
});
