/** Writes the permission table of the server into `docs/dashboard-access.md`, between two comments. */
import { readFileSync, writeFileSync } from 'node:fs';
import { permissions } from '@docent/server/permissions';
import { isAtLeast, roles } from '@docent/shared/people';

const start = '<!-- permissions:start -->';
const end = '<!-- permissions:end -->';

export const accessPage = new URL('docs/dashboard-access.md', import.meta.url);
const description = new URL('../server/openapi.json', import.meta.url);

/** The page with the current table. */
export function withPermissionTable(page: string): string {
  const from = page.indexOf(start);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`${accessPage.pathname} needs ${start} and ${end}`);
  return `${page.slice(0, from)}${start}\n\n${permissionMarkdown()}\n\n${page.slice(to)}`;
}

function permissionMarkdown(): string {
  const { paths } = JSON.parse(readFileSync(description, 'utf8')) as {
    paths: Record<string, Record<string, { summary: string }>>;
  };
  const head = ['Endpoint', 'What it does', ...roles, 'Key'];
  const rows = Object.entries(permissions).map(([endpoint, { role: least, scope }]) => {
    const [method = '', path = ''] = endpoint.split(' ');
    const summary = paths[path]?.[method.toLowerCase()]?.summary ?? '';
    const cells = roles.map((role) => (isAtLeast(role, least) ? 'yes' : 'no'));
    return [`\`${endpoint}\``, summary, ...cells, scope === undefined ? 'no' : `\`${scope}\``];
  });
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

if (import.meta.main) {
  writeFileSync(accessPage, withPermissionTable(readFileSync(accessPage, 'utf8')));
}
