/** The weekly email: what readers asked, and what became of it. Nothing to say, nothing sent. */
import { claimDigest, type DueDigest, dueDigests } from '../../../accounts/people/digests.ts';
import type { Webhooks } from '../../../notify/webhooks/webhooks.ts';
import type { Logger } from '../../../platform/log.ts';
import { createLoop } from '../../../platform/loop.ts';
import type { Store } from '../../../platform/store/database.ts';
import type { Sites } from '../../../platform/tenants/sites.ts';
import { minuteMs } from '../../../platform/time.ts';
import { findGaps } from '../../gaps/gaps.ts';
import { loopOf, periodsOf, totalsOf } from '../overview.ts';
import type { ReaderJobs } from '../jobs/reader-jobs.ts';
import type { Email } from '../../../notify/email/mailer.ts';
import type { Period } from '../summary.ts';

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

const names = {
  asked: 'Asked',
  answered: 'Answered',
  closed: 'Gaps closed',
  lost: 'Answers lost',
};
const kinds = Object.keys(names) as (keyof typeof names)[];

export interface Week {
  period: Period;
  /** Now, and the week before. */
  figures: Record<keyof typeof names, readonly [now: number, before: number]>;
  gaps: readonly { id: string; domain: string; name: string; count: number; readers: number }[];
  moreGaps: number;
}

/**
 * The words of the weekly email, as text and as HTML. Without readers' words: a mailbox forgets nothing, and
 * readers may ask to be forgotten. Each gap leads to its page, which has them. `dashboard`: its address. The
 * dashboard and this email are in English.
 */
export function writeDigest(
  { period, figures, gaps, moreGaps }: Week,
  { email: to, organization, timeZone }: Pick<DueDigest, 'email' | 'organization' | 'timeZone'>,
  dashboard: string,
): Email & { to: string } {
  const dates = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone });
  const days = dates.formatRange(new Date(period.from), new Date(period.to));
  const number = (count: number) => count.toLocaleString('en');
  const [[asked], [answered]] = [figures.asked, figures.answered];
  const title = `${number(asked)} ${asked === 1 ? 'question' : 'questions'}, ${number(answered)} answered`;
  const rows = kinds.map((kind) => {
    const [now, before] = figures[kind];
    return [names[kind], number(now), number(before)] as const;
  });
  const shown = gaps.map(({ id, domain, name, count, readers }) => ({
    url: `${dashboard}/gaps/${encodeURIComponent(id)}?site=${encodeURIComponent(domain)}`,
    words: `${name}: asked ${count === 1 ? 'once' : `${number(count)} times`} by ${readers === 1 ? 'one reader' : `${number(readers)} readers`}`,
  }));
  const rest = moreGaps === 0 ? '' : `${number(moreGaps)} more: ${dashboard}/gaps`;
  const profile = `${dashboard}/profile`;
  const text = [
    `${organization}, ${days}`,
    rows.map(([name, now, before]) => `${name}: ${now} (the week before: ${before})`).join('\n'),
    ...(shown.length === 0
      ? []
      : [
          'Top open gaps',
          ...shown.map(({ words, url }, at) => `${at + 1}. ${words}\n   ${url}`),
          ...(rest === '' ? [] : [rest]),
        ]),
    `The overview: ${dashboard}`,
    `You asked for this email in your profile, where you can end it: ${profile}`,
  ].join('\n\n');
  const link = (url: string, words: string) => `<a href="${escape(url)}">${escape(words)}</a>`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${escape(title)}</title>
</head>
<body style="font: 16px/1.5 system-ui, sans-serif; max-width: 36em; margin: 0 auto; padding: 24px">
<main>
<h1 style="font-size: 22px; margin: 0">${escape(title)}</h1>
<p>${escape(`${organization}, ${days}`)}</p>
<table style="border-collapse: collapse; width: 100%">
<tr><td></td><th align="right">This week</th><th align="right">The week before</th></tr>
${rows
  .map(
    ([name, now, before]) =>
      `<tr><td style="padding: 4px 0">${name}</td><td align="right"><strong>${now}</strong></td><td align="right">${before}</td></tr>`,
  )
  .join('\n')}
</table>
${
  shown.length === 0
    ? ''
    : `<h2 style="font-size: 18px">Top open gaps</h2>
<ol>
${shown.map(({ words, url }) => `<li>${link(url, words)}</li>`).join('\n')}
</ol>
${moreGaps === 0 ? '' : `<p>${link(`${dashboard}/gaps`, `${number(moreGaps)} more`)}</p>`}`
}
<p>${link(dashboard, 'Open the overview')}</p>
<p style="font-size: 14px">You asked for this email in ${link(profile, 'your profile')}, where you can end it.</p>
</main>
</body>
</html>
`;
  return { to, subject: `Your documentation this week: ${title}`, text, html };
}

const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign);
