import type { AutomationRun } from '@docent/shared/automations';
import { Badge } from '../../components/badge.tsx';
import { Two } from '../../components/table.tsx';
import { outcomes } from './words.ts';

/** What came of a run, and why. */
export function RunOutcome({ run, isShort = false }: { run: AutomationRun; isShort?: boolean }) {
  const { status, outcome, reason } = run;
  if (status !== 'ended' || outcome === null) {
    return <Badge tone="info">{status === 'working' ? 'Its job works' : 'Looking'}</Badge>;
  }
  const [tone, label] = outcomes[outcome];
  const badge = <Badge tone={tone}>{label}</Badge>;
  return isShort ? badge : <Two first={badge}>{reason}</Two>;
}

/** Where the job or its pull request is. */
export function PullLink({ run: { pullRequest } }: { run: AutomationRun }) {
  return pullRequest ? <a href={pullRequest.url}>#{pullRequest.number}</a> : <>—</>;
}
