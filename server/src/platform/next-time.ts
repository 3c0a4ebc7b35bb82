import { Cron } from 'croner';
import { invalid } from './errors.ts';

/**
 * The first time after another one, by five fields of cron. Daylight saving: a time that a day doesn't have is
 * the first one after it, and a time that a day has twice counts once. Throws `bad_request` for a schedule that
 * never comes; `at`: its path in the request.
 */
export function nextTime(cron: string, timeZone: string, after: Date, at = ''): Date {
  if (!isTimeZone(timeZone)) {
    throw invalid(`${at}timeZone`, 'must be a time zone such as "Europe/Berlin"');
  }
  let next: Date | null;
  try {
    next = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(after);
  } catch {
    throw invalid(`${at}cron`, 'must be five fields of cron such as "0 7 * * 1", Mondays at 7');
  }
  if (!next) throw invalid(`${at}cron`, 'never comes');
  return next;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
