import type { KeyKind, KeyScope } from '@docent/shared/keys';
import type { KeyTable } from '../store/tables.ts';

/** The bearer of a valid key. */
export interface Caller {
  keyId: string;
  kind: KeyKind;
  organization: string;
  /** The only site this key is for; `undefined`: every site of the organization. */
  domain: string | undefined;
  /** What the key may do; `undefined`: everything that its kind may do. */
  scopes: readonly KeyScope[] | undefined;
}

/** A key as its owner sees it: never the token. */
export interface KeyInfo extends Omit<Caller, 'keyId'> {
  id: string;
  name: string;
  hint: string;
  /** Addresses and subnets that may use the key; `undefined`: all. */
  networks: readonly string[] | undefined;
  createdAt: string;
  expiresAt: string | undefined;
  revokedAt: string | undefined;
  lastUsedAt: string | undefined;
  rotatedAt: string | undefined;
  /** The token before the last rotation. */
  previous: { hint: string; until: string; lastUsedAt: string | undefined } | undefined;
}

export interface NewKey {
  kind: KeyKind;
  organization: string;
  domain?: string;
  name: string;
  scopes?: readonly KeyScope[];
  networks?: readonly string[];
  expiresAt?: Date;
}

export function toCaller(row: KeyTable): Caller {
  return {
    keyId: row.id,
    kind: row.kind,
    organization: row.organization,
    domain: row.domain ?? undefined,
    scopes: readList(row.scopes) as KeyScope[] | undefined,
  };
}

export function toKeyInfo(row: KeyTable): KeyInfo {
  const { keyId: id, ...caller } = toCaller(row);
  return {
    id,
    ...caller,
    name: row.name,
    hint: row.hint,
    networks: readList(row.networks),
    createdAt: row.created_at,
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

/** A list as a column stores it. */
export function toColumn(list: readonly string[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify(list);
}

export function readList(column: string | null): string[] | undefined {
  return column === null ? undefined : (JSON.parse(column) as string[]);
}
