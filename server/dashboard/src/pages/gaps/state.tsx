import type { Gap } from '@docent/shared/analytics';
import { Badge, type Tone } from '../../components/badge.tsx';
import { formatNumber } from '../../components/number.tsx';

const states: Record<Gap['state'], [tone: Tone, label: string]> = {
  open: ['warn', 'Open'],
  queued: ['info', 'Queued'],
  drafting: ['info', 'Drafting'],
  'in-review': ['info', 'In review'],
  merged: ['good', 'Merged'],
  answered: ['good', 'Answered'],
  dismissed: ['neutral', 'Dismissed'],
};

/** Lists have a view for each plain state: there, only what differs is shown. */
export function GapState({ gap, isListed = false }: { gap: Gap; isListed?: boolean }) {
  const { state, askedSince, job } = gap;
  if (state === 'merged' && askedSince > 0) return <Badge tone="warn">Asked again</Badge>;
  if (state === 'open' && gap.lost > 0) return <Badge tone="bad">Answer lost</Badge>;
  if (state === 'open' && gap.answered > 0) {
    return (
      <Badge tone="warn">
        {formatNumber(gap.answered)} of {formatNumber(gap.count)} answered
      </Badge>
    );
  }
  if (state === 'open' && job?.status === 'failed') return <Badge tone="bad">Job failed</Badge>;
  if (isListed && viewOf(gap) === state) return null;
  const [tone, label] = states[state];
  return <Badge tone={tone}>{label}</Badge>;
}

export const questionsOf = (gap: Gap) => gap.examples.flatMap(({ messageIds }) => messageIds);

/** A job works on it, or its pull request waits for a person. */
export const isUnderWay = (state: Gap['state']) =>
  state === 'queued' || state === 'drafting' || state === 'in-review';

/** Where it's listed. A merged gap about which readers still ask is open again. */
export function viewOf({ state, askedSince }: Gap): string {
  if (isUnderWay(state)) return 'under-way';
  if (state === 'merged') return askedSince > 0 ? 'open' : 'under-way';
  return state;
}
