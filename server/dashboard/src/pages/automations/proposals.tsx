/** What the last days of a code repository would come to, before anything is started. */
import type { CodeProposals } from '@docent/shared/automations';
import { useGet } from '../../api/load.ts';
import { Load } from '../../components/empty.tsx';
import { formatMoney, formatNumber } from '../../components/number.tsx';

export function Proposals({ project, repository }: { project: string; repository: string }) {
  const path = `/v1/projects/${encodeURIComponent(project)}/code/${encodeURIComponent(repository)}/proposals`;
  const loaded = useGet<CodeProposals>(path);
  return (
    <Load from={loaded} lines={3}>
      {({ since, days, commits, proposals, estimate }) =>
        since === null || estimate === null ? (
          <p class="quiet">
            {commits === 0
              ? `Nothing was merged in the last ${days} days.`
              : `No page names what ${formatNumber(commits)} commits of the last ${days} days changed.`}
          </p>
        ) : (
          <>
            <p>
              The last {days} days have {formatNumber(commits)}{' '}
              {commits === 1 ? 'commit' : 'commits'}, which may concern{' '}
              {proposals.length === 1
                ? 'this page'
                : `these ${formatNumber(proposals.length)} pages`}
              :
            </p>
            <ul>
              {proposals.map(({ page, words }) => (
                <li key={page}>
                  {page} <span class="quiet">names {words.join(', ')}</span>
                </li>
              ))}
            </ul>
            <label class="choice">
              <input type="checkbox" name="since" value={since} />
              Start with them: one job of about{' '}
              {estimate.costUsd === null
                ? `${formatNumber(estimate.tokens)} tokens`
                : formatMoney(estimate.costUsd)}
            </label>
          </>
        )
      }
    </Load>
  );
}
