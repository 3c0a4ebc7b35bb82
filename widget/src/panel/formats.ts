/** Dates, times, and numbers for the reader. */
import type { Message } from '../chat/message.ts';
import { fill, type Text } from '../text/text.ts';
import type { PanelDeps } from './deps.ts';

/**
 * The locale of dates and numbers: the panel's language, with the page's region. Digits are Latin,
 * as in answers and citations.
 */
export function localeOf({ settings, shadow }: Pick<PanelDeps, 'settings' | 'shadow'>): string {
  const spoken = (shadow.host as HTMLElement).lang || 'en';
  const { language } = settings.value;
  const named = language === 'auto' ? document.documentElement.lang : language;
  return latin(named.replaceAll('_', '-'), spoken) ?? latin(spoken, spoken) ?? 'en';
}

/** `undefined` for another language, or an invalid tag. */
function latin(named: string, spoken: string): string | undefined {
  try {
    const locale = new Intl.Locale(named, { numberingSystem: 'latn' });
    return spoken.split('-')[0] === locale.language ? locale.toString() : undefined;
  } catch {
    return undefined; // The page's owner wrote something else there.
  }
}

/** Of which day and version the documentation is that an answer is from. */
export function stampOf(
  { asOf, versions: version }: Pick<Message, 'asOf' | 'versions'>,
  text: Pick<Text, 'asOf' | 'asOfVersion'>,
  locale?: string,
): string {
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(asOf);
  return version ? fill(text.asOfVersion, { date, version }) : fill(text.asOf, { date });
}

const units: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** Older times are dates. */
const maxMs = 7 * 86_400_000;

/** "5 minutes ago", "yesterday", or a date. */
export function relativeTime(time: number, now: number, language?: string): string {
  const age = now - time;
  if (age >= maxMs) {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(time);
  }
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const found = units.find(([, ms]) => age >= ms);
  // Also if the clock was set back.
  return found ? format.format(-Math.floor(age / found[1]), found[0]) : format.format(0, 'second');
}

/** Each with its seconds, and the shortest time that is given in it. */
const waits = [
  ['day', 86_400, 172_800],
  ['hour', 3600, 6000],
  ['minute', 60, 100],
  ['second', 1, 0],
] as const;

export function duration(seconds: number, locale: string): string {
  const [unit, one] = waits.find(([, , from]) => seconds >= from) ?? waits[0];
  const options = { style: 'unit', unit, unitDisplay: 'short' } as const;
  return new Intl.NumberFormat(locale, options).format(Math.ceil(seconds / one));
}
