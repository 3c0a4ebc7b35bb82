/** Every way in which a job can fail is explained, in both versions of the API. */
import { AgentFailure } from '@docent/shared/agent';
import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import { expect, test } from 'vitest';
import type { JobInQueue } from '../jobs/read-jobs.ts';
import { toFailure } from '../jobs/job.ts';
import { toSession } from './v1-routes.ts';
import { toAgentJob } from './job-view.ts';

const codes = Object.keys(failureTable) as FailureCode[];
/** The document's word is for a repository that the service has no, or not enough, access to; for nothing else. */
const access = ['forge_not_configured', 'forge_forbidden', 'repository_not_found'];
/** Nobody has to change anything before it is tried again. */
const retryable = [
  'process_lost',
  'queue_expired',
  'forge_rate_limited',
  'forge_unavailable',
  'model_unavailable',
  'model_failed',
  'budget_idle',
  'internal',
];

const failed = (code: FailureCode) =>
  ({
    id: 'J',
    project: 'acme-docs',
    status: 'failed',
    branch: 'docent/fix',
    todos: [],
    formerPulls: [],
    pull: null,
    callerId: null,
    microDollars: 0,
    position: null,
    failure: toFailure(code, 'This is what happened.'),
  }) as unknown as JobInQueue;

test('the table covers access, protection, the host, the model, budgets, checks and more', () => {
  expect(codes.length).toBeGreaterThanOrEqual(26);
  expect(codes.filter((code) => failureTable[code].retryable).toSorted()).toEqual(
    retryable.toSorted(),
  );
});

test.each(codes)('%s says what happened, what to do, and whether to try again', (code) => {
  const { failure, status, prLink } = toAgentJob(failed(code));
  expect([status, prLink]).toEqual(['failed', null]);
  const { title, remedy } = failureTable[code];
  expect(AgentFailure.parse(failure)).toEqual({
    code,
    title,
    remedy,
    message: 'This is what happened.',
    retryable: retryable.includes(code),
  });
  // Whole sentences, and a heading without its full stop.
  expect(title).toMatch(/^[A-Z].{5,80}[^.]$/);
  expect(remedy).toMatch(/^[A-Z].{5,200}\.$/s);

  const session = toSession(failed(code), 'acme-docs');
  expect(session).toMatchObject({
    haulted: true,
    haultReason: access.includes(code)
      ? 'github_missconfigured'
      : code === 'cancelled'
        ? 'interrupted'
        : 'error',
    pullRequestLink: '',
    messageToUser: `This is what happened. ${remedy}`,
  });
});

test('nothing to change is no failure', () => {
  const job = { ...failed('internal'), status: 'completed' as const, failure: null };
  const done = { ...job, message: 'The page says so already.' };
  expect(toAgentJob(done)).toMatchObject({
    status: 'completed',
    prLink: null,
    failure: null,
    message: 'The page says so already.',
  });
  expect(toSession(done, 'acme-docs')).toMatchObject({
    haultReason: 'completed',
    messageToUser: 'The page says so already.',
  });
});
