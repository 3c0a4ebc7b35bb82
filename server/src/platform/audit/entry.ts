import type { ActorKind, AuditTable } from '../store/audit-tables.ts';

/** Who did it. */
export interface Actor {
  kind: ActorKind;
  /** The key's id. */
  id?: string | undefined;
}

export const system: Actor = { kind: 'system' };

/** An entry as the export and the API show it. */
export interface AuditEntry {
  organization: string;
  seq: number;
  time: string;
  project: string | null;
  job: string | null;
  actor: { kind: string; id: string | null };
  type: string;
  data: unknown;
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
    data: JSON.parse(row.data) as unknown,
  };
}
