import { createHash } from 'node:crypto';
import type { ActorKind, AuditTable } from '../store/audit-tables.ts';
import { canonical } from './canonical.ts';

/** Who did it. */
export interface Actor {
  kind: ActorKind;
  /** The key's id. */
  id?: string | undefined;
}

export const system: Actor = { kind: 'system' };

/** An entry as the export and the API show it. Its hash is over all of the rest, `previous` among it. */
export interface AuditEntry {
  organization: string;
  seq: number;
  time: string;
  project: string | null;
  job: string | null;
  actor: { kind: string; id: string | null };
  type: string;
  data: unknown;
  previous: string;
  hash: string;
}

/** Stands before the first entry. */
export const beginning = '0'.repeat(64);

export function hashOf(entry: Omit<AuditEntry, 'hash'>): string {
  return createHash('sha256').update(canonical(entry)).digest('hex');
}

export function toEntry(row: AuditTable): AuditEntry {
  return {
    organization: row.organization,
    seq: row.seq,
    time: row.time,
    project: row.project,
    job: row.job_id,
    actor: { kind: row.actor_kind, id: row.actor_id },
    type: row.type,
    data: toData(row.data),
    previous: row.previous,
    hash: row.hash,
  };
}

/** What is no JSON at all was not written by us: it is shown as it is, and does not fit its hash. */
function toData(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
