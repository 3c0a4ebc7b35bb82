/**
 * Who did what, for whoever has to answer for it: one entry for each thing that happened, written in
 * the very transaction in which it happened, and chained by hashes. Each organization has a chain of its
 * own, so that one can be handed out and checked alone, and writers of others are not waited for.
 */
import type { Logger } from '../log.ts';
import type { Database } from '../store/database.ts';
import { bounded } from './bounded.ts';
import { canonical } from './canonical.ts';
import { type Actor, type AuditEntry, beginning, hashOf, toEntry } from './entry.ts';

export interface NewAuditEntry {
  organization: string;
  project?: string | undefined;
  job?: string | undefined;
  actor: Actor;
  /** `job.created`, `job.tool_call`, `key.revoked`, … */
  type: string;
  /** Is redacted and cut here; texts of readers do not belong in it, as nothing can be deleted. */
  data?: Readonly<Record<string, unknown>>;
}

/** Where a chain ends: whoever keeps it elsewhere sees when the end is cut off, or all is written anew. */
export interface AuditHead {
  organization: string;
  seq: number;
  hash: string;
}

/** As the command line and the API write it: `acme:512:9f2c…`. */
export const fromHead = ({ organization, seq, hash }: AuditHead) =>
  `${organization}:${seq}:${hash}`;

export interface AuditQuery {
  project?: string | undefined;
  job?: string | undefined;
  type?: string | undefined;
  /** Entries before this number. */
  before?: number | undefined;
  limit: number;
}

export type Audit = ReturnType<typeof createAudit>;

export function createAudit(parts: { database: Database; now: () => Date }) {
  const { database, now } = parts;
  const said = new Map<string, string>();

  return {
    /**
     * Adds entries, in this order. Part of the transaction of what happened: both stand or neither.
     * The chain's end is locked until that transaction ends, so it is the last thing to take in one.
     */
    async record(transaction: Database, entries: readonly NewAuditEntry[]): Promise<void> {
      for (const [organization, own] of Map.groupBy(entries, (entry) => entry.organization)) {
        await append(transaction, organization, own);
      }
    },

    /** Newest first. */
    async list(organization: string, query: AuditQuery): Promise<AuditEntry[]> {
      const { project, job, type, before, limit } = query;
      const rows = await database
        .selectFrom('audit')
        .selectAll()
        .where('organization', '=', organization)
        .$if(project !== undefined, (rows) => rows.where('project', '=', project ?? ''))
        .$if(job !== undefined, (rows) => rows.where('job_id', '=', job ?? ''))
        .$if(type !== undefined, (rows) => rows.where('type', '=', type ?? ''))
        .$if(before !== undefined, (rows) => rows.where('seq', '<', before ?? 0))
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toEntry);
    },

    heads,

    /** Writes the ends that have moved into the log: where logs are kept elsewhere, so are they. */
    async sayHeads(log: Pick<Logger, 'info'>): Promise<void> {
      for (const head of await heads()) {
        if (said.get(head.organization) === head.hash) continue;
        said.set(head.organization, head.hash);
        log.info({ head: fromHead(head) }, 'the audit trail ends here');
      }
    },
  };

  async function heads(organization?: string): Promise<AuditHead[]> {
    return database
      .selectFrom('audit_heads')
      .selectAll()
      .$if(organization !== undefined, (all) => all.where('organization', '=', organization ?? ''))
      .orderBy('organization')
      .execute();
  }

  async function append(
    transaction: Database,
    organization: string,
    entries: readonly NewAuditEntry[],
  ): Promise<void> {
    let { seq, hash } = await lockHead(transaction, organization);
    const time = now().toISOString();
    const rows = entries.map((entry) => {
      seq += 1;
      const data = bounded(entry.data ?? {});
      const full: Omit<AuditEntry, 'hash'> = {
        organization,
        seq,
        time,
        project: entry.project ?? null,
        job: entry.job ?? null,
        actor: { kind: entry.actor.kind, id: entry.actor.id ?? null },
        type: entry.type,
        data,
        previous: hash,
      };
      hash = hashOf(full);
      return {
        organization,
        seq,
        time,
        project: full.project,
        job_id: full.job,
        actor_kind: entry.actor.kind,
        actor_id: full.actor.id,
        type: full.type,
        data: canonical(data),
        previous: full.previous,
        hash,
      };
    });
    await transaction.insertInto('audit').values(rows).execute();
    await transaction
      .updateTable('audit_heads')
      .set({ seq, hash })
      .where('organization', '=', organization)
      .execute();
  }
}

/** The end of the chain. Whoever has it is the only one who writes on, until the transaction ends. */
async function lockHead(
  transaction: Database,
  organization: string,
): Promise<{ seq: number; hash: string }> {
  const read = () =>
    transaction
      .selectFrom('audit_heads')
      .select(['seq', 'hash'])
      .where('organization', '=', organization)
      .forUpdate()
      .executeTakeFirst();
  const known = await read();
  if (known) return known;
  await transaction
    .insertInto('audit_heads')
    .values({ organization, seq: 0, hash: beginning })
    .onConflict((conflict) => conflict.column('organization').doNothing())
    .execute();
  // Where another process was first, this waits for the end of its transaction.
  return (await read()) ?? { seq: 0, hash: beginning };
}
