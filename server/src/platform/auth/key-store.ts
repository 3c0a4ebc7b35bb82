import { keyKind } from '@docent/shared/keys';
import { DocentError } from '../errors.ts';
import type { NewId } from '../ids.ts';
import type { Database } from '../store/database.ts';
import { prepare } from '../store/prepare.ts';
import type { KeyTable } from '../store/tables.ts';
import {
  type Caller,
  type KeyInfo,
  type NewKey,
  readList,
  toCaller,
  toColumn,
  toKeyInfo,
} from './key-info.ts';
import { hashToken, isToken, makeToken } from './keys.ts';
import { isInNetworks } from './networks.ts';

export type { Caller, KeyInfo, NewKey } from './key-info.ts';

/** The last use of a token is written at most this often, to save writes. */
const lastUseEveryMs = 60_000;

export type Keys = ReturnType<typeof createKeys>;

/** A change of a key, for the audit trail. */
export interface KeyChange {
  type: 'key.created' | 'key.rotated' | 'key.revoked';
  key: KeyInfo;
}

/** Issues, finds, rotates and revokes keys. Nothing is cached, so revoking works from the next request on, in every process. */
export function createKeys(deps: {
  database: Database;
  now: () => Date;
  newId: NewId;
  /** Part of the transaction of the change. */
  onChange?: ((transaction: Database, change: KeyChange) => Promise<void>) | undefined;
}) {
  const { database, now, newId, onChange } = deps;
  const lastUses = new Map<string, number>();
  const rowsWith = (column: 'hash' | 'previous_hash') =>
    prepare(database, ({ hash }: { hash: string }) =>
      database.selectFrom('keys').selectAll().where(column, '=', hash),
    );
  const rowsWithHash = rowsWith('hash');
  const rowsWithPreviousHash = rowsWith('previous_hash');

  return {
    /** Creates a key. Its token is in the result and nowhere else. */
    async create(key: NewKey): Promise<{ token: string; key: KeyInfo }> {
      const token = makeToken(key.kind);
      const row: KeyTable = {
        id: newId(),
        hash: hashToken(token),
        kind: key.kind,
        organization: key.organization,
        domain: key.domain ?? null,
        name: key.name,
        hint: hintOf(token),
        created_at: now().toISOString(),
        expires_at: key.expiresAt?.toISOString() ?? null,
        revoked_at: null,
        last_used_at: null,
        scopes: toColumn(key.scopes),
        networks: toColumn(key.networks),
        rotated_at: null,
        ...noPrevious,
      };
      const info = toKeyInfo(row);
      await database.transaction().execute(async (transaction) => {
        await transaction.insertInto('keys').values(row).execute();
        await onChange?.(transaction, { type: 'key.created', key: info });
      });
      return { token, key: info };
    },

    async list(): Promise<KeyInfo[]> {
      const rows = await database.selectFrom('keys').selectAll().orderBy('id').execute();
      return rows.map(toKeyInfo);
    },

    /**
     * Gives a key a new token. The previous one stays valid until the given time. The key keeps its name,
     * scopes, limits and usage. At most two tokens are valid: rotating again ends the oldest one.
     */
    async rotate(id: string, previousUntil: Date): Promise<{ token: string; key: KeyInfo }> {
      return database.transaction().execute(async (transaction) => {
        const row = await rowOf(transaction, id, true);
        const time = now().toISOString();
        if (row.revoked_at !== null || isOver(row.expires_at, time)) {
          throw new DocentError(
            'conflict',
            `The key ${id} is ${row.revoked_at === null ? 'expired' : 'revoked'}; create a new one.`,
          );
        }
        const token = makeToken(row.kind);
        const until = previousUntil.toISOString();
        const change = {
          hash: hashToken(token),
          hint: hintOf(token),
          rotated_at: time,
          last_used_at: null,
          ...(until > time
            ? {
                previous_hash: row.hash,
                previous_hint: row.hint,
                previous_until: until,
                previous_used_at: row.last_used_at,
              }
            : noPrevious),
        };
        await transaction.updateTable('keys').set(change).where('id', '=', id).execute();
        const info = toKeyInfo({ ...row, ...change });
        await onChange?.(transaction, { type: 'key.rotated', key: info });
        return { token, key: info };
      });
    },

    /** Revokes both tokens of a key. A second call keeps the first time. */
    async revoke(id: string): Promise<KeyInfo> {
      return database.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('keys')
          .set({ revoked_at: now().toISOString() })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        const info = toKeyInfo(await rowOf(transaction, id));
        if (numUpdatedRows > 0n) await onChange?.(transaction, { type: 'key.revoked', key: info });
        return info;
      });
    },

    /**
     * The caller behind a token; `undefined` where it is malformed, unknown, expired, rotated away,
     * revoked, or used from an address that the key is not for.
     */
    async find(token: string, address?: string): Promise<Caller | undefined> {
      if (!isToken(token)) return undefined;
      const hash = hashToken(token);
      const row = (await rowsWithHash({ hash }))[0] ?? (await rowsWithPreviousHash({ hash }))[0];
      if (!row || row.revoked_at !== null || row.kind !== keyKind(token)) return undefined;
      const time = now();
      const isPrevious = row.hash !== hash;
      if (isOver(row.expires_at, time.toISOString())) return undefined;
      if (isPrevious && isOver(row.previous_until, time.toISOString())) return undefined;
      const networks = readList(row.networks);
      if (networks && !isInNetworks(networks, address ?? '')) return undefined;
      await noteUse(row.id, hash, isPrevious ? 'previous_used_at' : 'last_used_at', time);
      return toCaller(row);
    },
  };

  async function noteUse(
    id: string,
    hash: string,
    column: 'last_used_at' | 'previous_used_at',
    time: Date,
  ): Promise<void> {
    if (time.getTime() - (lastUses.get(hash) ?? -Infinity) < lastUseEveryMs) return;
    lastUses.set(hash, time.getTime());
    await database
      .updateTable('keys')
      .set({ [column]: time.toISOString() })
      .where('id', '=', id)
      .execute();
  }
}

const noPrevious = {
  previous_hash: null,
  previous_hint: null,
  previous_until: null,
  previous_used_at: null,
};

async function rowOf(database: Database, id: string, isToChange = false): Promise<KeyTable> {
  const row = await database
    .selectFrom('keys')
    .selectAll()
    .where('id', '=', id)
    .$if(isToChange, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw new DocentError('not_found', `There is no key with the id ${id}.`);
  return row;
}

const hintOf = (token: string) => token.slice(-4);

const isOver = (time: string | null, now: string) => time !== null && time <= now;
