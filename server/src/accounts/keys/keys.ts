import { type KeyScope, keyKind, type KeyKind, keyScopes } from '@docent/shared/keys';
import type { KeysQuery } from '@docent/shared/managed-keys';
import type { Audit } from '../../notify/audit/audit.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { createLru } from '../../platform/lru.ts';
import { createLookup, type Database, type Tables } from '../../platform/store/database.ts';
import { isInNetworks, readNetwork } from './networks.ts';
import { hashToken, hintOf, isToken, makeToken } from '../../platform/auth/tokens.ts';
import { type Caller, callerActor } from '../../platform/auth/caller.ts';

export interface NewKey {
  kind: KeyKind;
  organization: string;
  domain?: string | undefined;
  name: string;
  scopes?: readonly KeyScope[] | undefined;
  networks?: readonly string[] | undefined;
  groups?: readonly string[] | undefined;
  expiresAt?: Date | undefined;
}

/** A new key without repetitions. Throws what is wrong with it. */
function checkNewKey(key: NewKey): NewKey {
  const { kind, domain, scopes, networks, groups } = key;
  if (kind === 'admin' && (domain ?? groups) !== undefined) {
    throw invalid(
      domain === undefined ? 'groups' : 'domain',
      'is only for assistant keys: an admin key is for the whole organization',
    );
  }
  for (const [name, list] of Object.entries({ scopes, networks })) {
    if (list?.length === 0) throw invalid(name, 'is empty');
  }
  const known: readonly KeyScope[] = keyScopes[kind];
  if (scopes?.some((scope) => !known.includes(scope))) {
    throw invalid('scopes', `must be of ${known.join(', ')}`);
  }
  const read = networks?.map((text) => {
    const network = readNetwork(text);
    if (network !== undefined) return network;
    throw invalid(
      'networks',
      `has "${text}", which is no address or subnet, such as 203.0.113.0/24`,
    );
  });
  return {
    ...key,
    ...(scopes && { scopes: known.filter((scope) => scopes.includes(scope)) }),
    ...(read && { networks: [...new Set(read)] }),
    ...(groups && { groups: [...new Set(groups)] }),
  };
}

export type KeyInfo = ReturnType<typeof toKeyInfo>;

/** Who changes a key over HTTP, and from where; without it, it's the command line. */
export type KeyEditor = Pick<Caller, 'id' | 'kind' | 'organization' | 'domain'> & {
  address: string | undefined;
};

/** The last use of a token is written at most this often, to save writes. */
const lastUseEveryMs = 60_000;

export type Keys = ReturnType<typeof createKeys>;

/** Issues, finds, rotates, and revokes keys. Nothing is cached, so revoking works from the next request on, in every process. */
export function createKeys(deps: {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
}) {
  const { database, now } = deps;
  const lastUses = createLru<string, number>(10_000);
  const keys = database.selectFrom('keys').selectAll();
  const rowWith = {
    hash: createLookup(keys.where('hash', '=', '')),
    previousHash: createLookup(keys.where('previous_hash', '=', '')),
  };

  return {
    /** Creates a key. Its token is in the result and nowhere else. */
    async create(wanted: NewKey, by?: KeyEditor): Promise<{ token: string; key: KeyInfo }> {
      const key = checkNewKey(wanted);
      if (by) assertMayIssue(by, key);
      const token = makeToken(key.kind);
      const row: Tables['keys'] = {
        id: newId(),
        hash: hashToken(token),
        kind: key.kind,
        organization: key.organization,
        domain: key.domain ?? null,
        name: key.name,
        hint: hintOf(token),
        created_at: now().toISOString(),
        created_by: by?.id ?? null,
        expires_at: key.expiresAt?.toISOString() ?? null,
        revoked_at: null,
        last_used_at: null,
        scopes: toColumn(key.scopes),
        networks: toColumn(key.networks),
        groups: toColumn(key.groups),
        rotated_at: null,
        ...noPrevious,
      };
      const info = toKeyInfo(row);
      await database.transaction().execute(async (transaction) => {
        await transaction.insertInto('keys').values(row).execute();
        await record(transaction, 'key.created', info, by);
      });
      return { token, key: info };
    },

    async list(): Promise<KeyInfo[]> {
      const rows = await database.selectFrom('keys').selectAll().orderBy('id').execute();
      return rows.map(toKeyInfo);
    },

    async page(
      { organization, domain }: Pick<Caller, 'organization' | 'domain'>,
      { status, cursor, limit }: KeysQuery,
    ): Promise<KeyInfo[]> {
      const time = now().toISOString();
      const rows = await database
        .selectFrom('keys')
        .selectAll()
        .where('organization', '=', organization)
        .$if(domain !== undefined, (keys) => keys.where('domain', '=', domain ?? ''))
        .$if(cursor !== undefined, (keys) => keys.where('id', '<', cursor ?? ''))
        .$if(status === 'active', (keys) =>
          keys
            .where('revoked_at', 'is', null)
            .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', time)])),
        )
        .$if(status === 'ended', (keys) =>
          keys.where((or) =>
            or.or([or('revoked_at', 'is not', null), or('expires_at', '<=', time)]),
          ),
        )
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toKeyInfo);
    },

    /**
     * Gives a key a new token. The previous one stays valid until the given time. The key keeps its name,
     * scopes, limits and usage. At most two tokens are valid: rotating again ends the oldest one.
     */
    async rotate(
      id: string,
      previousUntil: Date,
      by?: KeyEditor,
    ): Promise<{ token: string; key: KeyInfo }> {
      return database.transaction().execute(async (transaction) => {
        const row = await rowOf(transaction, id, by);
        if (by) assertMayIssue(by, toKeyInfo(row));
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
        await record(transaction, 'key.rotated', info, by);
        return { token, key: info };
      });
    },

    /** Revokes both tokens of a key. A second call keeps the first time. */
    async revoke(id: string, by?: KeyEditor): Promise<KeyInfo> {
      return database.transaction().execute(async (transaction) => {
        await rowOf(transaction, id, by);
        const { numUpdatedRows } = await transaction
          .updateTable('keys')
          .set({ revoked_at: now().toISOString() })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst();
        const info = toKeyInfo(await rowOf(transaction, id, by));
        if (numUpdatedRows > 0n) await record(transaction, 'key.revoked', info, by);
        return info;
      });
    },

    /** Those of a site that's gone, in its transaction. */
    async revokeOf(transaction: Database, domain: string): Promise<void> {
      await transaction
        .updateTable('keys')
        .set({ revoked_at: now().toISOString() })
        .where('domain', '=', domain)
        .where('revoked_at', 'is', null)
        .execute();
    },

    /**
     * The caller behind a token; `undefined` where it is malformed, unknown, expired, rotated away,
     * revoked, or used from an address that the key is not for.
     */
    async find(token: string, address?: string): Promise<Caller | undefined> {
      if (!isToken(token)) return undefined;
      const hash = hashToken(token);
      const row =
        (await rowWith.hash(database, hash)) ?? (await rowWith.previousHash(database, hash));
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

  async function record(
    transaction: Database,
    type: string,
    key: KeyInfo,
    by: KeyEditor | undefined,
  ): Promise<void> {
    const { id, organization, createdAt: _, lastUsedAt: __, createdBy: ___, ...about } = key;
    await deps.audit.record(transaction, {
      organization,
      actor: by ? callerActor(by.id) : { kind: 'command-line' },
      type,
      data: { key: id, ...about, ...(by && { address: by.address }) },
    });
  }

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

/** The row to change. A key of another organization or site is as missing as one that doesn't exist. */
async function rowOf(
  transaction: Database,
  id: string,
  by: KeyEditor | undefined,
): Promise<Tables['keys']> {
  const row = await transaction
    .selectFrom('keys')
    .selectAll()
    .where('id', '=', id)
    .$if(by !== undefined, (keys) => keys.where('organization', '=', by?.organization ?? ''))
    .$if(by?.domain !== undefined, (keys) => keys.where('domain', '=', by?.domain ?? ''))
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new DocentError('not_found', `There is no key with the id ${id}.`);
  return row;
}

/**
 * We chose that nobody gets more rights with a key than they have. People who may create keys may do all that
 * an admin key may. A key makes only assistant keys without groups, and rotates these and itself.
 */
function assertMayIssue(
  by: KeyEditor,
  key: Pick<NewKey, 'kind' | 'groups'> & { id?: string },
): void {
  if (by.kind === 'person' || key.id === by.id) return;
  if (key.kind === 'assistant' && (key.groups ?? []).length === 0) return;
  throw new DocentError(
    'forbidden',
    'Only people create or rotate admin keys and keys with groups, on the API keys page. A key may rotate itself.',
  );
}

const isOver = (time: string | null, now: string) => time !== null && time <= now;

function toCaller(row: Tables['keys']): Caller {
  return {
    id: row.id,
    kind: 'key',
    organization: row.organization,
    domain: row.domain ?? undefined,
    scopes: readList(row.scopes) as KeyScope[] | undefined,
    groups: readList(row.groups) ?? [],
  };
}

/** A key as its owner sees it: never the token. */
function toKeyInfo(row: Tables['keys']) {
  return {
    ...toCaller(row),
    kind: row.kind,
    name: row.name,
    hint: row.hint,
    /** Addresses and subnets that may use the key; `undefined`: all. */
    networks: readList(row.networks),
    createdAt: row.created_at,
    /** The ID of the person or the key that created it; `undefined`: the command line. */
    createdBy: row.created_by ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
    rotatedAt: row.rotated_at ?? undefined,
    previous:
      row.previous_hint === null || row.previous_until === null
        ? undefined
        : {
            hint: row.previous_hint,
            until: row.previous_until,
            lastUsedAt: row.previous_used_at ?? undefined,
          },
  };
}

function toColumn(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list);
}

function readList(column: string | null): string[] | undefined {
  return column === null ? undefined : (JSON.parse(column) as string[]);
}
