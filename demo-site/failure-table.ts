/** Writes the failure codes of `shared/src/agent-failures.ts` into `docs/agent-failures.md`, between two comments. */
import { readFileSync, writeFileSync } from 'node:fs';
import { failureTable } from '@docent/shared/agent-failures';

const start = '<!-- failures:start -->';
const end = '<!-- failures:end -->';

export const failurePage = new URL('docs/agent-failures.md', import.meta.url);

/** The page with the current table. */
export function withFailureTable(page: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${failurePage.pathname} needs ${start} and ${end}`);
  return `${page.slice(0, from)}${start}\n\n${failureMarkdown()}\n\n${page.slice(to)}`;
}

function failureMarkdown(): string {
  const failures = Object.entries(failureTable);
  const rows = failures.map(([code, failure]) => {
    const reason =
      'isAccess' in failure
        ? 'github_missconfigured'
        : code === 'cancelled'
          ? 'interrupted'
          : 'error';
    return `| [\`${code}\`](#${code}) | ${failure.title} | ${failure.retryable ? 'yes' : 'no'} | \`${reason}\` |`;
  });
  // Each code has a heading, so that answers can cite it.
  const sections = failures.map(
    ([code, { title, remedy }]) => `### ${code}\n\n${title}. ${remedy}`,
  );
  const head = '| Code | What happened | Retryable | `haultReason` |\n| --- | --- | --- | --- |';
  return [head, ...rows].join('\n').concat('\n\n', sections.join('\n\n'));
}

if (import.meta.main) {
  writeFileSync(failurePage, withFailureTable(readFileSync(failurePage, 'utf8')));
}
