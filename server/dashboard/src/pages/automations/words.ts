/** Automations in words: what they look at, when, and what came of it. */
import type { AutomationRun, AutomationTask, AutomationTrigger } from '@docent/shared/automations';
import type { Tone } from '../../components/badge.tsx';

export function taskWords(task: AutomationTask): string {
  switch (task.about) {
    case 'links':
      return 'Broken links';
    case 'gaps':
      return 'Gaps';
    case 'ratings':
      return 'Bad ratings';
    case 'stale':
      return `Pages untouched for ${task.months === 1 ? 'a month' : `${task.months} months`}`;
    case 'code':
      return `Changes of ${task.repository}`;
    case 'drift':
      return `What ${task.repository} contradicts`;
    case 'release':
      return `Releases of ${task.repository}`;
    case 'words':
      return 'Its instruction';
  }
}

/** Schedules that the form offers. `m` and `h` are the time. */
export const rhythms = [
  { value: 'day', label: 'Every day', words: 'Every day', fields: '* * *' },
  { value: 'weekdays', label: 'Monday to Friday', words: 'Monday to Friday', fields: '* * 1-5' },
  { value: 'week', label: 'Every Monday', words: 'Every Monday', fields: '* * 1' },
  {
    value: 'month',
    label: 'First day of the month',
    words: 'Every first of the month',
    fields: '1 * *',
  },
] as const;

/** The rhythm and the time of a cron expression; undefined: another one. */
export function readCron(cron: string) {
  const [minute = '', hour = '', ...rest] = cron.trim().split(/\s+/);
  const rhythm = rhythms.find(({ fields }) => fields === rest.join(' '));
  if (!rhythm || !/^\d{1,2}$/.test(minute) || !/^\d{1,2}$/.test(hour)) return undefined;
  return { rhythm, time: `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}` };
}

export function triggerWords(trigger: AutomationTrigger, task: AutomationTask): string {
  if (trigger.on === 'call') return 'When it’s called';
  if (trigger.on === 'schedule') {
    const known = readCron(trigger.cron);
    const when = known ? `${known.rhythm.words} at ${known.time}` : trigger.cron;
    return `${when}, ${trigger.timeZone.replaceAll('_', ' ')}`;
  }
  const { count } = trigger;
  const many = (one: string, more: string) =>
    count === 1 ? `With each ${one}` : `With ${count} ${more}`;
  switch (task.about) {
    case 'gaps':
      return many('new gap', 'new gaps');
    case 'ratings':
      return many('bad rating', 'bad ratings');
    case 'stale':
      return 'Once a month';
    case 'release':
      return 'With each release';
    case 'links':
    case 'code':
    case 'drift':
    case 'words':
      return 'After each merge';
  }
}

export const outcomes: Record<
  NonNullable<AutomationRun['outcome']>,
  [tone: Tone, label: string]
> = {
  started: ['good', 'Pull request'],
  added: ['good', 'Added'],
  nothing: ['neutral', 'No action needed'],
  capped: ['warn', 'Too many open'],
  failed: ['bad', 'Failed'],
};
