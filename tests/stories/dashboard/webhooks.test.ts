/** Webhooks over HTTP: the endpoints of an organization, and what was sent to them. */
import type { WebhooksResponse } from '@docent/shared/webhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson } from '../../support/person.ts';
import { startReceiver } from '../../support/receiver.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

let docent: TestDocent;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let viewer: Awaited<ReturnType<typeof addPerson>>;

beforeAll(async () => {
  receiver = await startReceiver();
  const webhooks = [
    { url: receiver.url, secretEnv: 'HOOK_SECRET', allowPrivateHosts: ['127.0.0.1'] },
  ];
  docent = await startDocent({
    projects: [
      { id: 'kestrel', organization: 'kestrel', webhooks },
      { id: 'kestrel-blog', organization: 'kestrel', webhooks },
      { id: 'osprey', organization: 'osprey', webhooks },
    ],
    budgets: { alerts: { webhook: receiver.url, secretEnv: 'HOOK_SECRET' } },
    variables: { HOOK_SECRET: 'a secret of the receiver' },
  });
  viewer = await addPerson(docent, 'viewer');
  const { database, webhooks: outbox } = docent.docent.services;
  for (const [project, id] of [
    ['kestrel', 'job-1'],
    ['kestrel-blog', 'job-2'],
    ['osprey', 'job-3'],
  ] as const) {
    const data = { job: { id, status: 'completed', prLink: null } };
    const message = { type: 'job.completed' as const, project, time: new Date(), data };
    await database.transaction().execute((transaction) => outbox.enqueue(transaction, message));
  }
  await outbox.sender.work();
  receiver.reply(500);
  for (const [organization, name] of [
    ['kestrel', 'kestrel'],
    ['osprey', 'osprey'],
  ] as const) {
    const alert = {
      type: 'budget.alert' as const,
      timestamp: new Date().toISOString(),
      data: {
        budget: { of: 'organization' as const, name },
        period: 'day' as const,
        periodStart: '2026-11-01T00:00:00.000Z',
        periodEnd: '2026-11-02T00:00:00.000Z',
        unit: 'tokens' as const,
        percent: 80,
        limit: 100,
        spent: 80,
      },
    };
    await outbox.enqueueAlert(database, alert, organization);
  }
  await outbox.sender.work();
});
afterAll(async () => {
  await docent?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

const read = async (query = '', person = viewer) => {
  const response = await person.fetch(`/v1/webhooks?${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as WebhooksResponse;
};
const jobsOf = ({ deliveries }: WebhooksResponse) => deliveries.map(({ jobId }) => jobId);

test('endpoints with their state, without secrets, and deliveries with what was sent', async () => {
  const { endpoints, deliveries } = await read();
  const { origin } = new URL(receiver.url);
  expect(endpoints).toMatchObject([
    { project: 'kestrel', origin, failures: 0, failingSince: null },
    { project: 'kestrel-blog', origin, failures: 0, failingSince: null },
  ]);
  // The endpoint of alerts belongs to all organizations together.
  expect(endpoints).toHaveLength(2);
  expect(deliveries).toMatchObject([
    { project: null, type: 'budget.alert', status: 'pending', attempts: 1, lastStatus: 500 },
    { project: 'kestrel-blog', jobId: 'job-2', status: 'delivered', lastStatus: 204 },
    { project: 'kestrel', jobId: 'job-1', status: 'delivered', lastStatus: 204 },
  ]);
  expect(receiver.received.map(({ body }) => body)).toEqual(
    expect.arrayContaining(deliveries.map(({ body }) => body)),
  );
  const text = JSON.stringify({ endpoints, deliveries });
  for (const secret of ['geheim', 'a secret of', 'osprey']) expect(text).not.toContain(secret);
});

test('another organization has its own', async () => {
  const foreign = await read('', await addPerson(docent, 'owner', 'osprey'));
  expect(foreign.endpoints.map(({ project }) => project)).toEqual(['osprey']);
  expect(jobsOf(foreign)).toEqual([null, 'job-3']);
  expect(jobsOf(await read('project=osprey'))).toEqual([]);
});

test('by project, event, and status, page by page', async () => {
  expect(jobsOf(await read('project=kestrel'))).toEqual(['job-1']);
  expect(jobsOf(await read('type=budget.alert'))).toEqual([null]);
  expect(jobsOf(await read('status=delivered'))).toEqual(['job-2', 'job-1']);
  const first = await read('status=delivered&limit=1');
  expect([jobsOf(first), first.hasMore]).toEqual([['job-2'], true]);
  const second = await read(`status=delivered&limit=1&cursor=${first.nextCursor}`);
  expect([jobsOf(second), second.hasMore, second.nextCursor]).toEqual([['job-1'], false, null]);
});
