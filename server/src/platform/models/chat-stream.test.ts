import { describe, expect, test } from 'vitest';
import { BadChunk, createChatChunks } from './chat-completions.ts';

const chunk = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`;
const end = (reason: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })}\n\n`;

function readAll(pieces: string[]) {
  const chunks = createChatChunks();
  for (const piece of pieces) chunks.read(piece);
  return chunks;
}

describe('the stream of chat completions', () => {
  const whole = `: a comment\n\n${chunk('Größe ')}event: x\nid: 1\n${chunk('„1“\n\ndata: no')}${end('stop')}data: [DONE]\n\n`;

  test('is parsed the same wherever it is split', () => {
    for (let cut = 0; cut <= whole.length; cut++) {
      const { text, reason, isDone } = readAll([whole.slice(0, cut), whole.slice(cut)]);
      expect({ text, reason, isDone }).toEqual({
        text: 'Größe „1“\n\ndata: no',
        reason: 'stop',
        isDone: true,
      });
    }
    expect(readAll(whole.split('')).text).toBe('Größe „1“\n\ndata: no');
  });

  test('may have CRLF line ends, and no space after the colon', () => {
    const lines = `data:{"choices":[{"delta":{"content":"a"}}]}\r\n\r\ndata: [DONE]\r\n\r\n`;
    expect(readAll([lines])).toMatchObject({ text: 'a', isDone: true });
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['tool_calls', 'tool-calls'],
    ['eos', 'other'],
  ])('finish reason %s becomes %s', (theirs, ours) => {
    expect(readAll([end(theirs)]).reason).toBe(ours);
  });

  test('reports usage in a chunk without choices', () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3 };
    const { usage: read } = readAll([`data: ${JSON.stringify({ choices: [], usage })}\n\n`]);
    expect(read.inputTokens).toBe(12);
    expect(read.outputTokens).toBe(3);
  });

  test('has no text in reasoning, tool calls, and empty deltas', () => {
    const deltas = [{ reasoning_content: 'hm' }, { tool_calls: [{}] }, { content: null }, null];
    const lines = deltas.map((delta) => `data: ${JSON.stringify({ choices: [{ delta }] })}\n\n`);
    expect(readAll([...lines, 'data: {"choices":null}\n\n', 'data: \n\n']).text).toBe('');
  });

  test.each([
    ['no JSON', 'data: {"choices": \n\n'],
    ['no object', 'data: 7\n\n'],
    ['an error', 'data: {"error":{"message":"overloaded"}}\n\n'],
  ])('rejects %s', (_, line) => {
    expect(() => readAll([line])).toThrow(BadChunk);
  });

  test('rejects an event that never ends', () => {
    const piece = `data: ${'x'.repeat(1_048_576)}`;
    expect(() => readAll(Array.from({ length: 9 }, () => piece))).toThrow(
      /max buffer size of 8388608/,
    );
  });
});
