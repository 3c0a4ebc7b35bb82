import { type KeyKind, keyKind } from '@docent/shared/keys';
import { DocentError } from '../errors.ts';
import type { NewId } from '../ids.ts';
import type { Database } from '../store/database.ts';
import type { KeyTable } from '../store/tables.ts';
import { hashToken, isToken, makeToken } from './keys.ts';

/** Last use is written at most this often for a key, so that reading costs no write. */
const lastUseEveryMs = 60_000;

/** Who calls: what a valid key says about its bearer. */
export interface Caller {
  keyId: string;
  kind: KeyKind;
  organization: string;
  /** The only site this key is for; `undefined`: every site of the organization. */
  domain: string | undefined;
}

/** A key as its owner sees it: never the token. */
export interface KeyInfo {
  id: string;
  kind: KeyKind;
  organization: string;
  domain: string | undefined;
  name: string;
  hint: string;
  createdAt: string;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
  lastUsedAt: string | undefined;
}

export interface NewKey {
  kind: KeyKind;
  organization: string;
  domain?: string;
  name: string;
  expiresAt?: Date;
}

export type Keys = ReturnType<typeof createKeys>;

/** Issues, finds and revokes keys. Nothing is cached, so a revoked key stops with the next request. */
export function createKeys(parts: { database: Database; now: () => Date; newId: NewId }) {
  const { database, now, newId } = parts;
  const lastUses = new Map<string, number>();

  return {
    /** The token is in the answer and nowhere else. */
    async create(key: NewKey): Promise<{ token: string; key: KeyInfo }> {
      const token = makeToken(key.kind);
      const row: KeyTable = {
        id: newId(),
        hash: hashToken(token),
        kind: key.kind,
        organization: key.organization,
        domain: key.domain ?? null,
        name: key.name,
        hint: token.slice(-4),
        created_at: now().toISOString(),
        expires_at: key.expiresAt?.toISOString() ?? null,
        revoked_at: null,
        last_used_at: null,
        scopes: null,
        networks: null,
        rotated_at: null,
        previous_hash: null,
        previous_hint: null,
        previous_until: null,
        previous_used_at: null,
      };
      await database.insertInto('keys').values(row).execute();
      return { token, key: toKeyInfo(row) };
    },

    async list(): Promise<KeyInfo[]> {
      const rows = await database.selectFrom('keys').selectAll().orderBy('id').execute();
      return rows.map(toKeyInfo);
    },

    /** Revoking twice is harmless: the first time stands. */
    async revoke(id: string): Promise<KeyInfo> {
      await database
        .updateTable('keys')
        .set({ revoked_at: now().toISOString() })
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute();
      const row = await database
        .selectFrom('keys')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      if (!row) throw new DocentError('not_found', `There is no key with the id ${id}.`);
      return toKeyInfo(row);
    },

    /** The caller behind a token; `undefined` where it is malformed, unknown, expired or revoked. */
    async find(token: string): Promise<Caller | undefined> {
      if (!isToken(token)) return undefined;
      const row = await database
        .selectFrom('keys')
        .selectAll()
        .where('hash', '=', hashToken(token))
        .executeTakeFirst();
      if (!row || row.revoked_at !== null || row.kind !== keyKind(token)) return undefined;
      const time = now();
      if (row.expires_at !== null && row.expires_at <= time.toISOString()) return undefined;
      await noteUse(row.id, time);
      return {
        keyId: row.id,
        kind: row.kind,
        organization: row.organization,
        domain: row.domain ?? undefined,
      };
    },
  };

  async function noteUse(id: string, time: Date): Promise<void> {
    if (time.getTime() - (lastUses.get(id) ?? -Infinity) < lastUseEveryMs) return;
    lastUses.set(id, time.getTime());
    await database
      .updateTable('keys')
      .set({ last_used_at: time.toISOString() })
      .where('id', '=', id)
      .execute();
  }
}

function toKeyInfo(row: KeyTable): KeyInfo {
  return {
    id: row.id,
    kind: row.kind,
    organization: row.organization,
    domain: row.domain ?? undefined,
    name: row.name,
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
