import type { PeriodQuery } from '@docent/shared/analytics';
import { DocentError } from '../../platform/errors.ts';

const dayMs = 86_400_000;
const defaultDays = 30;

/** From `from` on, up to but not with `to`; ISO 8601 UTC, as the rows have it. */
export interface Period {
  from: string;
  to: string;
}

/** Reads a period; a day given as the end counts whole. */
export function toPeriod({ dateFrom, dateTo }: PeriodQuery, now: Date): Period {
  const to = dateTo === undefined ? now.getTime() + 1 : endOf(dateTo);
  const from = dateFrom === undefined ? to - defaultDays * dayMs : Date.parse(dateFrom);
  if (from >= to) {
    throw new DocentError('bad_request', 'The period is empty: `dateFrom` is after `dateTo`.');
  }
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}

function endOf(date: string): number {
  const time = Date.parse(date);
  return date.includes('T') ? time : time + dayMs;
}
