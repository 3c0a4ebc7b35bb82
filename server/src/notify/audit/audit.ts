/**
 * The audit trail: who did what. An entry is written in the transaction of what happened, and the
 * database refuses to change or delete it.
 */
import type { Tables } from '../../platform/store/tables.ts';
import type * as shared from '@docent/shared/audit';
import type { Database, Store } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import type { Actor, ActorKind } from '../../platform/auth/caller.ts';
import { sha256 } from '../../platform/hash.ts';
import { redact } from '../../platform/redaction/redact.ts';

export const system: Actor = { kind: 'system' };

/** An entry without the names of people and keys. */
export type AuditEntry = Omit<shared.AuditEntry, 'actor' | 'subject'> & {
  actor: { kind: string; id: string | null };
};

export interface NewAuditEntry {
  organization: string;
  project?: string | undefined;
  job?: string | undefined;
  actor: Actor;
  /** `job.created`, `job.tool_call`, `key.revoked`, … */
  type: string;
  /** Redacted and shortened here. Leave out what readers wrote: an entry can't be deleted. */
  data?: Readonly<Record<string, unknown>>;
}

type AuditQuery = Omit<shared.AuditQuery, 'format'>;

export type Audit = ReturnType<typeof createAudit>;

const exportPageSize = 1_000;

export function createAudit(deps: { store: Pick<Store, 'database'>; now: () => Date }) {
  const { store, now } = deps;
  const { database } = store;

  return {
    /**
     * Adds entries, in this order, as part of the transaction of what happened. Other writers of the
     * organization wait until that transaction ends, so call it last.
     */
    async record(transaction: Database, ...entries: NewAuditEntry[]): Promise<void> {
      for (const [organization, own] of Map.groupBy(entries, (entry) => entry.organization)) {
        await append(transaction, organization, own);
      }
    },

    list,

    /** Pages with all entries, newest first. */
    async *pages(
      organization: string,
      query: Omit<AuditQuery, 'limit' | 'cursor'> = {},
    ): AsyncGenerator<AuditEntry[]> {
      let page: AuditEntry[] = [];
      do {
        const cursor = page.at(-1)?.seq;
        page = await list(organization, { ...query, cursor, limit: exportPageSize });
        yield page;
      } while (page.length === exportPageSize);
    },
  };

  /** Newest first. */
  async function list(organization: string, query: AuditQuery): Promise<AuditEntry[]> {
    const { project, job, type, actor, from, to, cursor, limit } = query;
    const rows = await database
      .selectFrom('audit')
      .selectAll()
      .where('organization', '=', organization)
      .$if(project !== undefined, (rows) => rows.where('project', '=', project ?? ''))
      .$if(job !== undefined, (rows) => rows.where('job_id', '=', job ?? ''))
      .$if(type !== undefined, (rows) =>
        type?.includes('.')
          ? rows.where('type', '=', type)
          : // `.` and the character after it: all types that begin with the word.
            rows.where('type', '>=', `${type}.`).where('type', '<', `${type}/`),
      )
      .$if(actor !== undefined, (rows) =>
        rows.where((or) =>
          or.or([or('actor_id', '=', actor ?? ''), or('actor_kind', '=', actor as ActorKind)]),
        ),
      )
      .$if(from !== undefined, (rows) => rows.where('time', '>=', toIso(from)))
      .$if(to !== undefined, (rows) => rows.where('time', '<', toIso(to)))
      .$if(cursor !== undefined, (rows) => rows.where('seq', '<', cursor ?? 0))
      .orderBy('seq', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toEntry);
  }

  async function append(
    transaction: Database,
    organization: string,
    entries: readonly NewAuditEntry[],
  ): Promise<void> {
    await lockUntilCommit(transaction, `audit ${organization}`);
    const last = await transaction
      .selectFrom('audit')
      .select((audit) => audit.fn.max('seq').as('seq'))
      .where('organization', '=', organization)
      .executeTakeFirst();
    const time = now().toISOString();
    const rows = entries.map((entry, index) => ({
      organization,
      seq: (last?.seq ?? 0) + index + 1,
      time,
      project: entry.project ?? null,
      job_id: entry.job ?? null,
      actor_kind: entry.actor.kind,
      actor_id: entry.actor.id ?? null,
      type: entry.type,
      data: JSON.stringify(bounded(entry.data ?? {})),
    }));
    await transaction.insertInto('audit').values(rows).execute();
  }
}

const toIso = (time = '') => new Date(time).toISOString();

function toEntry(row: Tables['audit']): AuditEntry {
  return {
    organization: row.organization,
    seq: row.seq,
    time: row.time,
    project: row.project,
    job: row.job_id,
    actor: { kind: row.actor_kind, id: row.actor_id },
    type: row.type,
    data: JSON.parse(row.data) as unknown,
  };
}

/** Longer texts are shortened to their beginning and a digest, because an entry can't be deleted. */
const maxCharacters = 500;
const keptOfLong = 200;
const maxMembers = 50;
const maxDepth = 4;
/** Of the whole entry, as JSON. */
const maxLength = 8_000;

/** Removes secrets, personal data in known formats, and large values. */
export function bounded(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const small = bound(data, 0) as Record<string, unknown>;
  const text = JSON.stringify(small);
  return text.length > maxLength ? { omitted: fingerprintOf(text) } : small;
}

/** Stands for a text that isn't kept. Somebody who has the text can show that it's this one. */
export function fingerprintOf(text: string): { characters: number; sha256: string } {
  return { characters: text.length, sha256: sha256(text) };
}

function bound(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    const clean = redact(value).replaceAll('\0', '\uFFFD');
    if (clean.length <= maxCharacters) return clean;
    return { beginning: clean.slice(0, keptOfLong), ...fingerprintOf(value) };
  }
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === maxDepth) return fingerprintOf(JSON.stringify(value));
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxMembers).map((each) => bound(each, depth + 1));
    return value.length > maxMembers ? [...kept, `… ${value.length - maxMembers} more`] : kept;
  }
  const members = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(members.map(([name, member]) => [name, bound(member, depth + 1)]));
}
