import type { Gap } from '@docent/shared/analytics';
import { Badge, type Tone } from '../../components/badge.tsx';

const states: Record<Gap['state'], [tone: Tone, label: string]> = {
  open: ['warn', 'Open'],
  'in-progress': ['info', 'In progress'],
  'in-review': ['info', 'In review'],
  merged: ['good', 'Merged'],
  dismissed: ['neutral', 'Dismissed'],
};

export function GapState({ gap: { state, askedSince, job } }: { gap: Gap }) {
  if (state === 'merged' && askedSince > 0) return <Badge tone="warn">Asked again</Badge>;
  if (state === 'open' && job?.status === 'failed') return <Badge tone="bad">Job failed</Badge>;
  const [tone, label] = states[state];
  return <Badge tone={tone}>{label}</Badge>;
}
