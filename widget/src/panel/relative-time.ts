const units: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** After that a date says more. */
const maxMs = 7 * 86_400_000;

/** "5 minutes ago", "yesterday", and a date for what is older than a week. */
export function relativeTime(time: number, now: number, language?: string): string {
  const age = now - time;
  if (age >= maxMs) {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(time);
  }
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const found = units.find(([, ms]) => age >= ms);
  // "now"; clocks that were set back are not worth more words.
  return found ? format.format(-Math.floor(age / found[1]), found[0]) : format.format(0, 'second');
}
