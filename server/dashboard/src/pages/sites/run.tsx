/** The state of the indexer's runs. */
import type { SiteSummary } from '@docent/shared/sites';
import { Badge, type Tone } from '../../components/badge.tsx';

export type Run = SiteSummary['run'];

const states: Record<Run['status'], [tone: Tone, label: string]> = {
  never: ['neutral', 'Not indexed'],
  running: ['info', 'Indexing'],
  complete: ['good', 'Up to date'],
  incomplete: ['warn', 'Partly read'],
  waiting: ['warn', 'Needs approval'],
  failed: ['bad', 'Failed'],
};

export function RunState({ run }: { run: Run }) {
  const [tone, label] = states[run.status];
  return (
    <Badge tone={tone}>{run.isRequested && run.status !== 'running' ? 'Queued' : label}</Badge>
  );
}

export const isBusy = ({ status, isRequested }: Run) => status === 'running' || isRequested;
