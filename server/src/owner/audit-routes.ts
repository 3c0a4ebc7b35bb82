import { AuditEntry, AuditQuery, AuditResponse } from '@docent/shared/audit';
import { adminReads, endpointsOf, sent } from '../platform/http/endpoint.ts';
import { toPage } from '../platform/http/paging.ts';
import { sendTable, tableReply } from '../platform/http/table-file.ts';
import { namesOf } from '../accounts/people/names.ts';
import type { Database } from '../platform/store/database.ts';
import type { Audit, AuditEntry as StoredEntry } from '../notify/audit/audit.ts';
import { organizationOf } from '../platform/auth/caller.ts';

interface AuditEndpointDeps {
  audit: Audit;
  database: Database;
}

const endpoint = endpointsOf<AuditEndpointDeps>('Operations');

/** The audit trail of the caller's organization. Not in the service document. */
export const auditEndpoints = [
  endpoint('GET /v1/audit', {
    id: 'getAudit',
    summary: 'The audit trail of the organization, newest first',
    who: adminReads,
    query: AuditQuery,
    reply: {
      status: 200,
      description: 'Entries, newest first.',
      content: {
        'application/json': AuditResponse,
        'application/jsonl': AuditEntry,
        'text/csv': tableReply,
      },
    },
    async run({ caller, query: asked, response }, { audit, database }) {
      const organization = organizationOf(caller);
      const { format, limit, cursor, ...query } = asked;
      if (format !== 'json') {
        const pages = audit.pages(organization, query);
        const name = `${organization}-audit`;
        await sendTable(response, eachEntry(pages, database), { name, format, columns, toCells });
        return sent;
      }
      const found = await audit.list(organization, { ...query, cursor, limit: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ seq }) => seq);
      return { entries: await named(rows, database), ...next };
    },
  }),
];

async function* eachEntry(pages: AsyncIterable<readonly StoredEntry[]>, database: Database) {
  for await (const page of pages) yield* await named(page, database);
}

async function named(entries: readonly StoredEntry[], database: Database): Promise<AuditEntry[]> {
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
