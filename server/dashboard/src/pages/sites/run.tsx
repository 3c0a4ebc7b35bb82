/** The state of the indexer's runs, and following one. */
import type { SiteSummary } from '@docent/shared/sites';
import { useEffect } from 'preact/hooks';
import type { Loaded } from '../../api/load.ts';
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

const everyMs = 1500;

/** Loads again while the indexer is at work. */
export function useWhileRunning<T>(loaded: Loaded<T>, isRunning: (data: T) => boolean): void {
  const data = loaded.data.value;
  const isActive = data !== undefined && isRunning(data);
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => void loaded.reload(), everyMs);
    return () => clearInterval(timer);
  }, [isActive]);
}
