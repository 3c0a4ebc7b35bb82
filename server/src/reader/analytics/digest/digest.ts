/** The weekly email: what readers asked, and what became of it. Nothing to say, nothing sent. */
import { claimDigest, type DueDigest, dueDigests } from '../../../accounts/people/digests.ts';
import type { Webhooks } from '../../../notify/webhooks/webhooks.ts';
import type { Logger } from '../../../platform/log.ts';
import { createLoop } from '../../../platform/loop.ts';
import type { Store } from '../../../platform/store/database.ts';
import type { Sites } from '../../../platform/tenants/sites.ts';
import { minuteMs } from '../../../platform/time.ts';
import { findGaps } from '../../gaps/gaps.ts';
import { loopOf } from '../../gaps/loop-figures.ts';
import type { ReaderJobs } from '../jobs/reader-jobs.ts';
import { periodsOf, totalsOf } from '../overview.ts';
import { type Week, writeDigest } from './write-digest.ts';

const maxGaps = 5;

export function createDigests(deps: {
  store: Pick<Store, 'database' | 'clock'>;
  sites: Pick<Sites, 'all'>;
  readerJobs: Pick<ReaderJobs, 'outcomesOf'>;
  webhooks: Pick<Webhooks, 'enqueueEmail' | 'wake'>;
  /** Of the dashboard. */
  baseUrl: () => string;
  now: () => Date;
  log: Pick<Logger, 'error'>;
}) {
  const { store, sites, readerJobs, webhooks, baseUrl, now, log } = deps;
  const { database } = store;
  const loop = createLoop({
    work: look,
    everyMs: minuteMs,
    onError: (err) => log.error({ err }, 'weekly emails could not be looked at'),
  });

  async function look(): Promise<void> {
    // Everybody of an organization gets the same week, most at the same time.
    const weeks = new Map<string, ReturnType<typeof weekOf>>();
    for (const due of await dueDigests(store)) {
      const week = weeks.get(due.organization) ?? weekOf(due.organization);
      weeks.set(due.organization, week);
      await send(due, week).catch((err: unknown) =>
        log.error({ err, person: due.personId }, 'a weekly email could not be written'),
      );
    }
  }

  async function send(due: DueDigest, found: ReturnType<typeof weekOf>): Promise<void> {
    const week = await found;
    const isSent = await database.transaction().execute(async (tx) => {
      if (!(await claimDigest(tx, due, now())) || !week) return false;
      await webhooks.enqueueEmail(tx, writeDigest(week, due, `${baseUrl()}/dashboard`), now());
      return true;
    });
    if (isSent) webhooks.wake();
  }

  /** `undefined`: there is nothing to say. */
  async function weekOf(organization: string): Promise<Week | undefined> {
    const own = sites.all().filter((site) => site.organization === organization);
    // SQL has no empty lists.
    const domains = own.length === 0 ? [''] : own.map(({ domain }) => domain);
    const { current, previous } = periodsOf({ period: '7d' }, now());
    const [totals, before, loopFigures, ...found] = await Promise.all([
      totalsOf(database, domains, current),
      totalsOf(database, domains, previous),
      loopOf(database, domains, { current, previous }, now()),
      ...own.map(async ({ domain, name }) => {
        const { gaps } = await findGaps(database, domain, current, readerJobs);
        return gaps
          .filter(({ state }) => state === 'open')
          .map((gap) => ({ ...gap, domain, name }));
      }),
    ]);
    const gaps = found.flat().toSorted((a, b) => b.count - a.count);
    const { closed, lost } = loopFigures.current;
    if (totals.questions + closed + lost + gaps.length === 0) return undefined;
    return {
      period: current,
      figures: {
        asked: [totals.questions, before.questions],
        answered: [totals.answered, before.answered],
        closed: [closed, loopFigures.previous.closed],
        lost: [lost, loopFigures.previous.lost],
      },
      gaps: gaps.slice(0, maxGaps),
      moreGaps: Math.max(0, gaps.length - maxGaps),
    };
  }

  return {
    look,
    start(): void {
      loop.start();
      void loop.wake();
    },
    stop: () => loop.stop(),
  };
}
