import { keyScopes } from '@docent/shared/keys';
import {
  adminKeyDays,
  CreateKeyRequest,
  KeysQuery,
  KeysResponse,
  KeyWithToken,
  ManagedKey,
  RotateKeyRequest,
} from '@docent/shared/managed-keys';
import type { Config } from '../../platform/config/schema.ts';
import {
  adminReads,
  adminWrites,
  endpointsOf,
  json,
  toPage,
} from '../../platform/http/endpoint.ts';
import { dayMs, hourMs } from '../../platform/time.ts';
import { windowOf } from '../../platform/limits/counters.ts';
import { namesOf } from '../people/people.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { KeyEditor, KeyInfo, Keys, NewKey } from './keys.ts';
import { type Caller, callerActor } from '../../platform/auth/caller.ts';

export interface KeyEndpointDeps {
  keys: Keys;
  sites: Pick<Sites, 'forCaller'>;
  database: Database;
  now: () => Date;
  config: Pick<Config, 'limits'>;
}

const endpoint = endpointsOf<KeyEndpointDeps>('Operations');

/** API keys of the caller's organization. Not in the service document. */
export const keyEndpoints = [
  endpoint('GET /v1/keys', {
    id: 'listKeys',
    summary: 'API keys, without their tokens, newest first',
    who: adminReads,
    query: KeysQuery,
    reply: KeysResponse,
    async run({ caller, query: { limit, ...query } }, deps) {
      const found = await deps.keys.page(caller, { ...query, limit: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ id }) => id);
      return { keys: await show(rows, deps), ...next };
    },
  }),

  endpoint('POST /v1/keys', {
    id: 'createKey',
    summary: 'Create an API key',
    description:
      'A key can create assistant keys without groups. Other keys are created by people who are signed in.',
    who: adminWrites,
    body: CreateKeyRequest,
    reply: json(KeyWithToken, 'The key, and its token, which is shown once.', { status: 201 }),
    errors: ['not_found'],
    async run({ caller, body, request }, deps) {
      const key = toNewKey(body, caller, deps);
      return showWithToken(await deps.keys.create(key, editorOf(caller, request)), deps);
    },
  }),

  endpoint('POST /v1/keys/{id}/rotate', {
    id: 'rotateKey',
    summary: 'Give an API key another token; the one before stays valid for a while',
    description: 'A key can rotate itself, and assistant keys without groups.',
    who: adminWrites,
    body: RotateKeyRequest,
    reply: json(KeyWithToken, 'The key, and its new token, which is shown once.'),
    errors: ['conflict'],
    async run({ params, caller, body, request }, deps) {
      const until = new Date(deps.now().getTime() + body.overlapHours * hourMs);
      return showWithToken(
        await deps.keys.rotate(params.id, until, editorOf(caller, request)),
        deps,
      );
    },
  }),

  endpoint('POST /v1/keys/{id}/revoke', {
    id: 'revokeKey',
    summary: 'Stop an API key at once',
    who: adminWrites,
    reply: json(ManagedKey, 'The key, which is revoked.'),
    async run({ params, caller, request }, deps) {
      return showOne(await deps.keys.revoke(params.id, editorOf(caller, request)), deps);
    },
  }),
];

function toNewKey(
  asked: CreateKeyRequest,
  caller: Caller,
  { sites, now }: KeyEndpointDeps,
): NewKey {
  const { domain = caller.domain, expiresInDays, ...wanted } = asked;
  if (domain !== undefined) sites.forCaller(domain, caller);
  const isAdmin = wanted.kind === 'admin';
  const days = expiresInDays === undefined && isAdmin ? adminKeyDays : expiresInDays;
  return {
    ...wanted,
    organization: caller.organization,
    domain,
    ...(typeof days === 'number' && { expiresAt: new Date(now().getTime() + days * dayMs) }),
  };
}

async function showWithToken(made: { token: string; key: KeyInfo }, deps: KeyEndpointDeps) {
  return { key: await showOne(made.key, deps), token: made.token };
}

async function showOne(info: KeyInfo, deps: KeyEndpointDeps): Promise<ManagedKey> {
  const [key] = await show([info], deps);
  return key as ManagedKey;
}

async function show(
  infos: readonly KeyInfo[],
  { database, now, config }: KeyEndpointDeps,
): Promise<ManagedKey[]> {
  const time = now();
  const names = await namesOf(
    database,
    infos.map(({ createdBy }) => createdBy),
  );
  const usage = await usageOf(
    database,
    infos.map(({ id }) => id),
    time,
  );
  const isOver = (end: string | undefined) => end !== undefined && end <= time.toISOString();
  return infos.map((info) => {
    const { createdBy, previous, organization: _, rotatedAt: __, ...key } = info;
    return {
      ...key,
      domain: key.domain ?? null,
      scopes: [...(key.scopes ?? keyScopes[key.kind])],
      networks: key.networks ? [...key.networks] : null,
      groups: [...key.groups],
      status: key.revokedAt ? 'revoked' : isOver(key.expiresAt) ? 'expired' : 'active',
      createdBy:
        createdBy === undefined
          ? { kind: 'command-line', id: null, name: null }
          : {
              kind: callerActor(createdBy).kind,
              id: createdBy,
              name: names.get(createdBy) ?? null,
            },
      expiresAt: key.expiresAt ?? null,
      revokedAt: key.revokedAt ?? null,
      lastUsedAt: key.lastUsedAt ?? null,
      previous:
        !previous || isOver(previous.until)
          ? null
          : { ...previous, lastUsedAt: previous.lastUsedAt ?? null },
      usage: {
        ...(usage.get(key.id) ?? { questions: 0, requests: 0, costUsd: 0 }),
        limit: config.limits.perKeyAndMonth,
      },
    };
  });
}

export const editorOf = (
  { id, kind, organization, domain }: Caller,
  { ip }: { ip?: string | undefined },
): KeyEditor => ({ id, kind, organization, domain, address: ip });

type Usage = Omit<ManagedKey['usage'], 'limit'>;

/** What keys were used for in this month: the counters of the limits, and the sums of the budgets. */
export async function usageOf(
  database: Database,
  keyIds: readonly string[],
  now: Date,
): Promise<Map<string, Usage>> {
  if (keyIds.length === 0) return new Map();
  const month = windowOf('month', now).start.toISOString();
  const counts = await database
    .selectFrom('counters')
    .select(['name', 'subject', 'hits'])
    .where('name', 'in', ['key-month', 'lookup-key-month'])
    .where('subject', 'in', keyIds)
    .where('window_start', '=', month)
    .execute();
  const spent = await database
    .selectFrom('spend')
    .select(['payer', 'micro_dollars'])
    .where('payer_kind', '=', 'key')
    .where('payer', 'in', keyIds)
    .where('period', '=', 'month')
    .where('window_start', '=', month)
    .execute();
  const hitsOf = (name: string, id: string) =>
    counts.find((each) => each.name === name && each.subject === id)?.hits ?? 0;
  return new Map(
    keyIds.map((id) => [
      id,
      {
        questions: hitsOf('key-month', id),
        requests: hitsOf('lookup-key-month', id),
        costUsd: Number(spent.find(({ payer }) => payer === id)?.micro_dollars ?? 0) / 1_000_000,
      },
    ]),
  );
}
