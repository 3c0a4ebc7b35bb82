/** Times in the reader's zone and language. */
import { signal } from '@preact/signals';

const units: [unit: Intl.RelativeTimeFormatUnit, ms: number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];
/** Times further away are dates. */
const maxMs = 7 * 86_400_000;

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });

const now = signal(Date.now());
setInterval(() => (now.value = Date.now()), 30_000);

type Moment = string | number;

/** "5 min. ago" or "in 3 days", and the exact time on hover. */
export function Time({ at, isExact = false }: { at: Moment; isExact?: boolean }) {
  const time = new Date(at);
  return (
    <time dateTime={time.toISOString()} title={exact.format(time)}>
      {isExact ? exact.format(time) : relativeTime(time.getTime(), now.value)}
    </time>
  );
}

export function relativeTime(time: number, at: number): string {
  const distance = time - at;
  const length = Math.abs(distance);
  if (length >= maxMs) return day.format(time);
  const found = units.find(([, ms]) => length >= ms);
  if (!found) return relative.format(0, 'second');
  return relative.format(Math.sign(distance) * Math.floor(length / found[1]), found[0]);
}

const unit = (name: string, digits = 0) =>
  new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit: name,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  });
const [milliseconds, fewSeconds, seconds, minutes, hours] = [
  unit('millisecond'),
  unit('second', 1),
  unit('second'),
  unit('minute'),
  unit('hour'),
];

/** "1 min 20 s", "820 ms". */
export function duration(ms: number): string {
  if (ms < 1000) return milliseconds.format(Math.round(ms));
  if (ms < 10_000) return fewSeconds.format(ms / 1000);
  const whole = Math.round(ms / 1000);
  const parts: string[] = [];
  if (whole >= 3600) parts.push(hours.format(Math.floor(whole / 3600)));
  if (whole >= 60) parts.push(minutes.format(Math.floor((whole % 3600) / 60)));
  if (whole < 3600) parts.push(seconds.format(whole % 60));
  return parts.join(' ');
}
