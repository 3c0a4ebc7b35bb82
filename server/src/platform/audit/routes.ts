/**
 * The audit trail of the caller's organization. Not in the service document.
 *   GET /v1/audit    entries, newest first: pages, or JSON lines or CSV
 */
import { type AuditEntry, AuditQuery } from '@docent/shared/audit';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { toPage } from '../http/paging.ts';
import { parse } from '../http/request.ts';
import { sendTable } from '../http/table-file.ts';
import { organizationOf } from '../http/require-key.ts';
import { namesOf } from '../people/names.ts';
import type { Database } from '../store/database.ts';
import type { Audit, AuditEntry as StoredEntry } from './audit.ts';

export interface AuditRouteDeps {
  mayAccess: RequestHandler[];
  audit: Audit;
  database: Database;
}

export function createAuditRoutes(deps: AuditRouteDeps): Router {
  const { mayAccess, audit, database } = deps;
  const router = Router({ strict: true, caseSensitive: true });

  router.get('/v1/audit', ...mayAccess, async (request: Request, response: Response) => {
    const organization = organizationOf(response);
    const { format, limit, cursor, ...query } = parse(AuditQuery, request.query);
    if (format !== 'json') {
      const rows = eachEntry(organization, query);
      return sendTable(response, rows, {
        name: `${organization}-audit`,
        format,
        columns,
        toCells,
      });
    }
    const found = await audit.list(organization, { ...query, cursor, limit: limit + 1 });
    const { rows, next } = toPage(found, limit, ({ seq }) => seq);
    response.json({ entries: await named(rows), ...next });
  });

  return router;

  async function* eachEntry(...[organization, query]: Parameters<typeof audit.pages>) {
    for await (const page of audit.pages(organization, query)) yield* await named(page);
  }

  async function named(entries: readonly StoredEntry[]): Promise<AuditEntry[]> {
    const names = await namesOf(
      database,
      entries.flatMap(({ actor, data }) => [actor.id, subjectOf(data)]),
    );
    return entries.map((entry) => ({
      ...entry,
      actor: { ...entry.actor, name: names.get(entry.actor.id ?? '') ?? null },
      subject: names.get(subjectOf(entry.data) ?? '') ?? null,
    }));
  }
}

/** The person that an entry is about. */
function subjectOf(data: unknown): string | undefined {
  const { person } = data as { person?: unknown };
  return typeof person === 'string' ? person : undefined;
}

const columns = [
  'seq',
  'time',
  'type',
  'actorKind',
  'actorId',
  'actorName',
  'subject',
  'project',
  'job',
  'data',
];

const toCells = ({ actor, ...entry }: AuditEntry): Record<string, unknown> => ({
  ...entry,
  actorKind: actor.kind,
  actorId: actor.id,
  actorName: actor.name,
});
