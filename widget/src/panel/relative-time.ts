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
