import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { describeError } from './log.ts';

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
