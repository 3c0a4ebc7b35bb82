/** When an automation looks next, by its schedule. */
import type { AutomationTrigger } from '@docent/shared/automations';
import { Cron } from 'croner';
import { invalid } from '../../platform/errors.ts';
import { minuteMs } from '../../platform/time.ts';

/** How often those that wait for something new look whether there is. */
const lookEveryMs = 5 * minuteMs;

/**
 * Null: only when somebody asks for it. Daylight saving: a time that a day doesn't have is the first one after
 * it, and a time that a day has twice counts once. Throws `bad_request` for a schedule that never comes.
 */
export function nextAfter(trigger: AutomationTrigger, time: Date): Date | null {
  switch (trigger.on) {
    case 'call':
      return null;
    case 'change':
      return new Date(time.getTime() + lookEveryMs);
    case 'schedule':
      return nextOf(trigger, time);
  }
}

function nextOf(
  { cron, timeZone }: Extract<AutomationTrigger, { on: 'schedule' }>,
  time: Date,
): Date {
  if (!isTimeZone(timeZone)) {
    throw invalid('trigger.timeZone', 'must be a time zone such as "Europe/Berlin"');
  }
  let next: Date | null;
  try {
    next = new Cron(cron, { timezone: timeZone, mode: '5-part', paused: true }).nextRun(time);
  } catch {
    throw invalid('trigger.cron', 'must be five fields of cron such as "0 7 * * 1", Mondays at 7');
  }
  if (!next) throw invalid('trigger.cron', 'never comes');
  return next;
}

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
