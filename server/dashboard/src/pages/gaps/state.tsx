import type { Gap } from '@docent/shared/analytics';
import { Badge, type Tone } from '../../components/badge.tsx';

const states: Record<Gap['state'], [tone: Tone, label: string]> = {
  open: ['warn', 'Open'],
  'in-progress': ['info', 'In progress'],
  'in-review': ['info', 'In review'],
  merged: ['good', 'Merged'],
  dismissed: ['neutral', 'Dismissed'],
};

/** Lists have a view for each plain state: there, only what differs is shown. */
export function GapState({ gap, isListed = false }: { gap: Gap; isListed?: boolean }) {
  const { state, askedSince, job } = gap;
  if (state === 'merged' && askedSince > 0) return <Badge tone="warn">Asked again</Badge>;
  if (state === 'open' && job?.status === 'failed') return <Badge tone="bad">Job failed</Badge>;
  if (isListed && viewOf(gap) === state) return null;
  const [tone, label] = states[state];
  return <Badge tone={tone}>{label}</Badge>;
}

export const questionsOf = (gap: Gap) => gap.examples.flatMap(({ messageIds }) => messageIds);

/** Where it's listed. A merged gap about which readers still ask is open again. */
export function viewOf({ state, askedSince }: Gap): string {
  if (state === 'in-progress' || state === 'in-review') return 'under-way';
  return state === 'merged' && askedSince > 0 ? 'open' : state;
}
