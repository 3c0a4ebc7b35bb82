/** Writes the error codes of `shared/src/errors.ts` into `docs/errors.md`, between two comments. */
import { readFileSync, writeFileSync } from 'node:fs';
import { errorTable } from '@docent/shared/errors';

const start = '<!-- errors:start -->';
const end = '<!-- errors:end -->';

export const errorPage = new URL('docs/errors.md', import.meta.url);

/** The page with the current table. */
export function withErrorTable(page: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${errorPage.pathname} needs ${start} and ${end}`);
  return `${page.slice(0, from)}${start}\n\n${errorMarkdown()}\n\n${page.slice(to)}`;
}

function errorMarkdown(): string {
  const errors = Object.entries(errorTable);
  const rows = errors.map(
    ([code, { status, retryable }]) =>
      `| [\`${code}\`](#${code}) | ${status} | ${retryable ? 'yes' : 'no'} |`,
  );
  // Each code has a heading, so that answers can cite it.
  const sections = errors.map(
    ([code, { status, remedy }]) => `### ${code}\n\nStatus ${status}. ${remedy}`,
  );
  return ['| Code | Status | Retryable |\n| --- | --- | --- |', ...rows]
    .join('\n')
    .concat('\n\n', sections.join('\n\n'));
}

if (import.meta.main) {
  writeFileSync(errorPage, withErrorTable(readFileSync(errorPage, 'utf8')));
}
