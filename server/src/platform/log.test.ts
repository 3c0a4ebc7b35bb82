import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { makeToken } from './auth/tokens.ts';
import { createLog, describeError } from './log.ts';

test('an error of a provider is logged without the prompt, the answer and the headers', () => {
  const cause = new Error('Type validation failed: Value: {"content":"canary-answer"}.');
  const error = new APICallError({
    message: 'Unauthorized',
    url: 'https://model.test/v1/chat',
    requestBodyValues: { messages: ['canary-prompt'] },
    responseHeaders: { 'set-cookie': 'canary-cookie' },
    responseBody: 'canary-body',
    statusCode: 401,
    cause,
  });
  const logged = JSON.stringify(describeError(error));
  expect(logged).not.toContain('canary');
  expect(describeError(error)).toMatchObject({
    type: 'AI_APICallError',
    message: 'Unauthorized',
    statusCode: 401,
    cause: { message: 'Type validation failed: ' },
  });
});

test('what is not an error is not logged, only its kind', () => {
  expect(describeError('canary')).toEqual({ type: 'string' });
});

test('whatever is logged is redacted, and every line stays JSON', () => {
  const lines: string[] = [];
  const log = createLog('debug', { write: (line) => void lines.push(line) });
  const key = makeToken('assistant');
  log.info(
    { question: `my "key"\nis\n${key}`, count: 4242424242424242 },
    'from jane@kestrel.example',
  );
  log
    .child({ note: key })
    .warn({ err: new Error(`no entry for ${key}`) }, `card 4242 4242 4242 4242`);
  expect(lines).toHaveLength(2);
  expect(lines.join('')).not.toMatch(new RegExp(`${key}|jane@|4242 4242`));
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    question: 'my "key"\nis\n[redacted key]',
    count: 4242424242424242,
    msg: 'from [redacted e-mail]',
  });
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({
    note: '[redacted key]',
    err: { message: 'no entry for [redacted key]' },
  });
});
