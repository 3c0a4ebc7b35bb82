import { type FailureCode, failureTable } from '@docent/shared/agent-failures';
import { expect, test } from 'vitest';
import { type Job, toFailure } from '../jobs/job.ts';
import { toSession } from './v1-routes.ts';

const job = {
  id: 'J',
  status: 'completed',
  branch: 'docent/fix',
  title: 'Fix it',
  message: 'Fixed.',
  todos: [],
  pull: { number: 3, url: 'https://github.com/kestrel/docs/pull/3' },
  failure: null,
  callerId: 'K',
  createdAt: '2026-11-21T10:00:00.000Z',
} as unknown as Job;

test('a completed job', () => {
  expect(toSession(job, 'kestrel-docs')).toEqual({
    sessionId: 'J',
    subdomain: 'kestrel-docs',
    branch: 'docent/fix',
    haulted: true,
    haultReason: 'completed',
    pullRequestLink: 'https://github.com/kestrel/docs/pull/3',
    messageToUser: 'Fixed.',
    todos: [],
    userId: 'K',
    title: 'Fix it',
    createdAt: '2026-11-21T10:00:00.000Z',
  });
});

test('one that goes on, and one of nobody', () => {
  const active: Job = { ...job, status: 'active', title: null, message: null, callerId: null };
  const session = toSession(active, 'kestrel-docs', '# Fix it.\nToday');
  expect(session).toMatchObject({
    haulted: false,
    haultReason: 'processing',
    pullRequestLink: '',
    messageToUser: '',
    title: 'Fix it',
  });
  expect('userId' in session).toBe(false);
});

const reasons: Partial<Record<FailureCode, string>> = {
  cancelled: 'interrupted',
  forge_not_configured: 'github_missconfigured',
  forge_forbidden: 'github_missconfigured',
  repository_not_found: 'github_missconfigured',
};

test.each(Object.keys(failureTable) as FailureCode[])('failed with %s', (code) => {
  const session = toSession({ ...job, status: 'failed', failure: toFailure(code, 'No.') }, 'x');
  expect(session.haultReason).toBe(reasons[code] ?? 'error');
  expect(session.haulted).toBe(true);
  expect(session.messageToUser).toBe(`No. ${failureTable[code].remedy}`);
});
