import type { UIMessageChunk } from 'ai';
import { describe, expect, test } from 'vitest';
import { createEventReader, readAnswer } from './answer-stream.ts';

const line = (part: object) => `data: ${JSON.stringify(part)}\n\n`;
const say = (delta: string) => line({ type: 'text-delta', id: 't', delta });
const begin = line({ type: 'start', messageId: 'a' }) + line({ type: 'text-start', id: 't' });
const end = `${line({ type: 'text-end', id: 't' })}${line({ type: 'finish' })}data: [DONE]\n\n`;

/** A body that sends these bytes, each as a chunk of its own, then ends or breaks. */
function bodyOf(chunks: readonly Uint8Array[], failure?: Error): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next++];
      if (chunk) controller.enqueue(chunk);
      else if (failure) controller.error(failure);
      else controller.close();
    },
  });
}

async function read(stream: ReadableStream<UIMessageChunk>) {
  const parts: UIMessageChunk[] = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { parts, failure: undefined };
      parts.push({ ...value });
    }
  } catch (failure) {
    return { parts, failure };
  }
}
const textOf = (parts: readonly UIMessageChunk[]) =>
  parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe('the parts of an answer', () => {
  const words = ['Zürich ', '東京 ', '👩‍👩‍👧 ', 'naïve', '\n\n', 'end'];
  const whole = begin + words.map(say).join('') + end;

  test('are the same wherever the bytes are cut, also inside a letter', async () => {
    const bytes = bytesOf(whole);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const body = bodyOf([bytes.slice(0, cut), bytes.slice(cut)]);
      const { parts, failure } = await read(readAnswer(body));
      expect(failure).toBeUndefined();
      expect(textOf(parts)).toBe(words.join(''));
      expect(parts.filter(({ type }) => type !== 'text-delta').map(({ type }) => type)).toEqual([
        'start',
        'text-start',
        'text-end',
        'finish',
      ]);
    }
  });

  test('come byte by byte as well', async () => {
    const bytes = bytesOf(whole);
    const body = bodyOf([...bytes].map((byte) => Uint8Array.of(byte)));
    expect(textOf((await read(readAnswer(body))).parts)).toBe(words.join(''));
  });

  test('are joined where words arrive together, and never over another part', async () => {
    const many = Array.from({ length: 400 }, (_, index) => `${index} `);
    const text = begin + many.map(say).join('') + end;
    const { parts } = await read(readAnswer(bodyOf([bytesOf(text)])));
    expect(parts.map(({ type }) => type)).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    expect(textOf(parts)).toBe(many.join(''));
  });

  test('the first words do not wait', async () => {
    const body = new ReadableStream<Uint8Array>({
      // Neither ends nor says more.
      start: (controller) => controller.enqueue(bytesOf(begin + say('Now'))),
    });
    const reader = readAnswer(body).getReader();
    const kinds: string[] = [];
    for (let index = 0; index < 3; index++) kinds.push((await reader.read()).value?.type ?? '');
    expect(kinds).toEqual(['start', 'text-start', 'text-delta']);
    await reader.cancel();
  });

  test('what had arrived comes before the failure', async () => {
    const failure = new Error('cut');
    const chunks = [begin + say('a'), say('b'), say('c')].map(bytesOf);
    const seen = await read(readAnswer(bodyOf(chunks, failure)));
    expect(textOf(seen.parts)).toBe('abc');
    expect(seen.failure).toBe(failure);
  });

  test('parts of a newer service are passed over, its data parts too', async () => {
    const text =
      begin +
      line({ type: 'hologram', x: 1 }) +
      line({ type: 'data-new', data: 1 }) +
      say('a') +
      end;
    const { parts, failure } = await read(readAnswer(bodyOf([bytesOf(text)])));
    expect(failure).toBeUndefined();
    expect(parts.map(({ type }) => type as string)).not.toContain('data-new');
    expect(parts.map(({ type }) => type as string)).not.toContain('hologram');
  });

  test.each(['data: {"type":"text-delta","id":"t"}\n\n', 'data: 7\n\n', 'data: {broken\n\n'])(
    'a part that is not whole ends the answer: %j',
    async (broken) => {
      const { parts, failure } = await read(
        readAnswer(bodyOf([bytesOf(begin + say('a') + broken + say('b'))])),
      );
      expect(textOf(parts)).toBe('a');
      expect(failure).toBeInstanceOf(Error);
    },
  );
});

test('events: comments, Windows line ends, several lines of data, no event without its blank line', () => {
  const seen: string[] = [];
  const reader = createEventReader((data) => seen.push(data));
  reader(': keep-alive\r\n\r\ndata: a\r\n\r\ndata:b\nid: 7\ndata: c\n\ndata: never');
  expect(seen).toEqual(['a', 'b\nc']);
});
