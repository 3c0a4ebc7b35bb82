/** What a server process does from time to time beside its requests. */
import type { Services } from './compose.ts';
import { deleteOldSpend } from './budgets/accounts.ts';
import { renewReservationsMs } from './budgets/spend.ts';
import { deleteExpiredChallenges } from './reader/challenge/routes.ts';
import { deleteOldCounters } from './platform/limits/counters.ts';
import { hourMs } from './platform/time.ts';
import { deleteOldPersonTokens } from './accounts/people/person-tokens.ts';
import { deleteOldKeys } from './platform/store/idempotency.ts';
import { deleteExpired } from './reader/conversations/retention.ts';
import { createLoop } from './platform/loop.ts';
import { deleteOldChecks } from './reader/gaps/asks.ts';
import { during } from './platform/telemetry/event-loop.ts';
import { questionScope } from './reader/stream/stored-answers.ts';

/** Tidies up now and every hour, and keeps reservations of budgets alive. */
export async function startHousekeeping(services: Services): Promise<{ stop(): Promise<void> }> {
  const { log, spend } = services;
  await tidyUp(services);
  const loops = [
    createLoop({
      work: () => spend.renew(),
      everyMs: renewReservationsMs,
      onError: (err) => log.error({ err }, 'reservations of budgets were not renewed'),
    }),
    createLoop({
      work: () => during('housekeeping', () => tidyUp(services)),
      everyMs: hourMs,
      onError: (err) => log.error({ err }, 'housekeeping failed'),
    }),
  ];
  for (const loop of loops) loop.start();
  return { stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))) };
}

async function tidyUp(services: Services): Promise<void> {
  const { database, now, log, webhooks, agent } = services;
  await deleteOldCounters(database, now());
  await deleteOldSpend(database, now());
  await deleteOldKeys(database, questionScope, now());
  await deleteOldChecks(database, now());
  await deleteExpiredChallenges(database, now());
  await services.sessions.deleteOld();
  await services.shares.deleteOld();
  await deleteOldPersonTokens(database, now());
  await webhooks.sender.deleteOld();
  await agent.talks.deleteOld();
  await agent.automations.deleteOld();
  const archived = await agent.archiveOld();
  if (archived > 0) log.info({ jobs: archived }, 'old agent jobs were archived');
  const deleted = await agent.deleteOld();
  if (deleted > 0) log.info({ jobs: deleted }, 'expired agent jobs were deleted');
  const questions = await deleteExpired(services, services.sites.all());
  if (questions > 0) log.info({ questions }, 'expired questions were deleted');
}
