/** The filters of figures: a period, and one site or all. They're in the address. */
import type { OverviewPeriod, OverviewReply } from '@docent/shared/overview';
import { Filters, Segmented, useFilters } from './filters.tsx';
import { SiteSelect } from './site.tsx';

const periods: { value: OverviewPeriod; label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];

/** `query` is what the endpoints of figures take. */
export function usePeriod() {
  const { values, set } = useFilters({ period: '7d', site: '' });
  const period = periods.find(({ value }) => value === values.period)?.value ?? '7d';
  const query = { period, from: startOf(period).toISOString(), site: values.site };
  return { query, set };
}

/** Whole hours, or days of the reader's time zone, the current one included. */
function startOf(period: OverviewPeriod): Date {
  const start = new Date();
  if (period === '24h') start.setUTCHours(start.getUTCHours() - 23, 0, 0, 0);
  else {
    start.setHours(0, 0, 0, 0);
    start.setDate(start.getDate() - Number.parseInt(period, 10) + 1);
  }
  return start;
}

export const PeriodFilters = ({ query, set }: ReturnType<typeof usePeriod>) => (
  <Filters>
    <Segmented
      label="Period"
      value={query.period}
      options={periods}
      onChange={(value) => set({ period: value })}
    />
    <SiteSelect canBeAll />
  </Filters>
);

type Hour = OverviewReply['hours'][number];
const hourMs = 3_600_000;

/**
 * Hours, or days of the reader's time zone, each with the sums of its hours; those without questions too.
 * The service counts full hours of UTC: in a zone with half hours, they begin at half past, and the one
 * around midnight belongs to the day in which it begins.
 */
export function toSteps({ from, to, hours }: Pick<OverviewReply, 'from' | 'to' | 'hours'>) {
  const isHourly = Date.parse(to) - Date.parse(from) <= 25 * hourMs;
  const stepOf = (time: number) => {
    const date = new Date(time);
    if (isHourly) date.setUTCMinutes(0, 0, 0);
    else date.setHours(0, 0, 0, 0);
    return date.getTime();
  };
  const stepOfHour = (time: string) => stepOf(Math.max(Date.parse(time), Date.parse(from)));
  const none = { answered: 0, unanswered: 0, refused: 0, incomplete: 0, tokens: 0, costUsd: 0 };
  const steps = new Map<number, Omit<Hour, 'time'>>();
  // Days may have 23 or 25 hours.
  for (let at = Date.parse(from); at <= Date.parse(to); at += hourMs) {
    steps.set(stepOf(at), { ...none });
  }
  for (const { time, ...hour } of hours) {
    // The hour of the first midnight may begin before it.
    const step = stepOfHour(time);
    const sum = steps.get(step) ?? { ...none };
    for (const name of Object.keys(none) as (keyof typeof none)[]) sum[name] += hour[name];
    steps.set(step, sum);
  }
  const sorted = [...steps].toSorted(([a], [b]) => a - b);
  return {
    times: sorted.map(([time]) => time),
    sums: sorted.map(([, sum]) => sum),
    /** The step that an hour belongs to. */
    stepOf: stepOfHour,
  };
}
