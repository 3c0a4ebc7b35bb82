/** When an automation looks next, by its schedule. */
import type { AutomationTrigger } from '@docent/shared/automations';
import { nextTime } from '../../platform/next-time.ts';
import { minuteMs } from '../../platform/time.ts';

/** How often those that wait for something new look whether there is. */
const lookEveryMs = 5 * minuteMs;

/** Null: only when somebody asks for it. Throws `bad_request` for a schedule that never comes. */
export function nextAfter(trigger: AutomationTrigger, time: Date): Date | null {
  switch (trigger.on) {
    case 'call':
      return null;
    case 'change':
      return new Date(time.getTime() + lookEveryMs);
    case 'schedule':
      return nextTime(trigger.cron, trigger.timeZone, time, 'trigger.');
  }
}
