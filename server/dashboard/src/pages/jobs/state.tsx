import type { AllJobsReply } from '@docent/shared/jobs-list';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Two } from '../../components/table.tsx';

type Job = AllJobsReply['jobs'][number];

export const states: Record<Job['status'], [tone: Tone, label: string]> = {
  active: ['info', 'In progress'],
  completed: ['good', 'Completed'],
  failed: ['bad', 'Failed'],
};

export function JobState({ job: { status, position, failure } }: { job: Job }) {
  const [tone, label] =
    failure?.code === 'cancelled' ? (['neutral', 'Canceled'] as const) : states[status];
  return (
    <Two
      first={
        <Badge tone={tone}>{position === null ? label : `Waiting, ${position} in the queue`}</Badge>
      }
    >
      {tone === 'bad' && failure?.title}
    </Two>
  );
}
