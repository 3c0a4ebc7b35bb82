import { errorTable, type ErrorCode } from '@docent/shared/errors';
import { describe, expect, test } from 'vitest';
import { AnswerError } from './answer-error.ts';
import type { ProblemKind } from '../embed/events.ts';
import { toProblem } from './problems.ts';
import { english } from '../text/english.ts';

const normal = { isOnline: true, now: 1000 };
const body = (code: string, more = {}) =>
  new Error(JSON.stringify({ error: 'Words for a program.', code, requestId: 'r1', ...more }));

describe('what the service says', () => {
  const expected: Record<ErrorCode, ProblemKind> = {
    bad_request: 'bad',
    unauthorized: 'setup',
    forbidden: 'forbidden',
    not_found: 'notFound',
    request_timeout: 'timeout',
    method_not_allowed: 'setup',
    conflict: 'server',
    too_large: 'tooLarge',
    unsupported_media_type: 'setup',
    rate_limited: 'limit',
    budget_exceeded: 'budget',
    internal: 'server',
    upstream_failed: 'upstream',
    model_refused: 'setup',
    unavailable: 'server',
  };
  test.each(Object.keys(errorTable) as ErrorCode[])('%s', (code) => {
    const problem = toProblem(body(code), normal);
    expect(problem.kind).toBe(expected[code]);
    // A reader is shown words of ours, never those for programs.
    expect(english[`${problem.kind}Title`]).not.toBe('');
    expect(english[`${problem.kind}Text`]).not.toBe('');
    // What the service calls worth another try has a button, and the other way round.
    if (errorTable[code].retryable) expect(problem.canRetry).toBe(true);
  });
  test('the code and the status go along, for programs', () => {
    expect(toProblem(body('rate_limited'), normal).code).toBe('rate_limited');
    const refused = new AnswerError('refused', body('forbidden').message, {
      status: 403,
      retryAfter: undefined,
    });
    expect(toProblem(refused, normal)).toMatchObject({ code: 'forbidden', status: 403 });
    const ofProxy = new AnswerError('refused', '<html>', { status: 502, retryAfter: undefined });
    expect(toProblem(ofProxy, normal)).toMatchObject({ status: 502 });
    expect(toProblem(ofProxy, normal)).not.toHaveProperty('code');
    expect(toProblem(new TypeError('fetch'), normal)).not.toHaveProperty('status');
  });
  test('a limit says when it ends', () => {
    expect(toProblem(body('rate_limited', { retryAfter: 42 }), normal).retryAt).toBe(43_000);
    expect(toProblem(body('rate_limited'), normal).retryAt).toBeUndefined();
    const inTenDays = toProblem(body('budget_exceeded', { retryAfter: 864_000 }), normal);
    expect(inTenDays).toMatchObject({ kind: 'budget', retryAt: 864_001_000 });
  });
  test('the console tells the owner what only the owner can fix', () => {
    expect(toProblem(body('unauthorized'), normal).forOwner).toContain('Words for a program.');
    expect(toProblem(body('not_found'), normal).forOwner).toContain('data-site');
    expect(toProblem(body('internal'), normal).forOwner).toBeUndefined();
    expect(toProblem(body('budget_exceeded'), normal).forOwner).toContain('Words for a program.');
    const refused = toProblem(body('model_refused'), normal);
    expect(refused.forOwner).toContain('docent doctor --model');
    expect(refused.forOwner).not.toContain('data-key');
  });
});

describe('what a proxy says', () => {
  const status = (code: number, retryAfter?: number) =>
    new AnswerError('refused', '<html>', { status: code, retryAfter });
  test.each([
    [401, 'setup'],
    [403, 'forbidden'],
    [404, 'notFound'],
    [413, 'tooLarge'],
    [429, 'limit'],
    [500, 'server'],
    [502, 'server'],
    [504, 'timeout'],
    [418, 'bad'],
  ] as const)('a page with status %i', (code, kind) => {
    expect(toProblem(status(code), normal).kind).toBe(kind);
  });
  test('no network', () => {
    const failed = new AnswerError('unreachable');
    expect(toProblem(failed, { ...normal, isOnline: false }).kind).toBe('offline');
    expect(toProblem(failed, normal).kind).toBe('blocked');
  });
  test.each([
    ['timeout', 'timeout'],
    ['unreachable', 'blocked'],
    ['lost', 'cut'],
    ['gone', 'gone'],
    ['endless', 'server'],
    ['unreadable', 'server'],
    ['failed', 'server'],
  ] as const)('%s', (reason, kind) => {
    expect(toProblem(new AnswerError(reason), normal).kind).toBe(kind);
  });
  test("a proxy's limit says in a header when it ends", () => {
    expect(toProblem(status(429, 7), normal)).toMatchObject({ kind: 'limit', retryAt: 8_000 });
  });
  test.each([
    undefined,
    null,
    'text',
    {},
    new Error(''),
    new Error('[]'),
    new Error('{"code":"toString"}'),
  ])('anything else: %j', (error) => expect(toProblem(error, normal).kind).toBe('server'));
});
