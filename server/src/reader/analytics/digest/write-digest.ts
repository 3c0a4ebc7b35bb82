/**
 * The words of the weekly email, as text and as HTML. Without readers' words: a mailbox forgets nothing, and
 * readers may ask to be forgotten. Each gap leads to its page, which has them.
 */
import type { DueDigest } from '../../../accounts/people/digests.ts';
import type { Email } from '../../../notify/email/mailer.ts';
import type { Period } from '../summary.ts';

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

/** `dashboard`: its address. The dashboard and this email are in English. */
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
