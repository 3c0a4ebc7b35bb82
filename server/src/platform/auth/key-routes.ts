/**
 * API keys of the caller's organization. Not in the service document.
 *   GET  /v1/keys                without their tokens, newest first
 *   POST /v1/keys                creates a key: 201, with its token
 *   POST /v1/keys/{id}/rotate    gives a key another token; the one before stays valid for a while
 *   POST /v1/keys/{id}/revoke    stops a key at once
 */
import { keyScopes } from '@docent/shared/keys';
import {
  adminKeyDays,
  CreateKeyRequest,
  KeysQuery,
  type ManagedKey,
  RotateKeyRequest,
} from '@docent/shared/managed-keys';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { callerActor } from '../audit/audit.ts';
import type { Config } from '../config/schema.ts';
import { jsonBody, parse } from '../http/request.ts';
import { toPage } from '../http/paging.ts';
import { callerOf } from '../http/require-key.ts';
import { dayMs, hourMs } from '../limits/counters.ts';
import { namesOf } from '../people/names.ts';
import type { Database } from '../store/database.ts';
import type { Sites } from '../tenants/sites.ts';
import { usageOf } from './key-usage.ts';
import type { Caller, KeyEditor, KeyInfo, Keys } from './keys.ts';
import type { NewKey } from './new-key.ts';

export interface KeyRouteDeps {
  keys: Keys;
  sites: Sites;
  database: Database;
  now: () => Date;
  config: Pick<Config, 'limits'>;
  mayAccess: RequestHandler[];
}

type OfKey = Request<{ id: string }>;

export function createKeyRoutes(deps: KeyRouteDeps): Router {
  const { keys, sites, database, now, config, mayAccess } = deps;
  const router = Router({ strict: true, caseSensitive: true });

  router
    .route('/v1/keys')
    .get(...mayAccess, async (request: Request, response: Response) => {
      const { limit, ...query } = parse(KeysQuery, request.query);
      const found = await keys.page(callerOf(response), { ...query, limit: limit + 1 });
      const { rows, next } = toPage(found, limit, ({ id }) => id);
      response.json({ keys: await show(rows), ...next });
    })
    .post(...mayAccess, jsonBody, async (request: Request, response: Response) => {
      const caller = callerOf(response);
      const key = toNewKey(parse(CreateKeyRequest, request.body), caller);
      const made = await keys.create(key, editorOf(request, response));
      response.status(201).json(await showWithToken(made));
    });

  router.post(
    '/v1/keys/:id/rotate',
    ...mayAccess,
    jsonBody,
    async (request: OfKey, response: Response) => {
      const { overlapHours } = parse(RotateKeyRequest, request.body);
      const until = new Date(now().getTime() + overlapHours * hourMs);
      const rotated = await keys.rotate(request.params.id, until, editorOf(request, response));
      response.json(await showWithToken(rotated));
    },
  );

  router.post('/v1/keys/:id/revoke', ...mayAccess, async (request: OfKey, response: Response) => {
    const revoked = await keys.revoke(request.params.id, editorOf(request, response));
    const [key] = await show([revoked]);
    response.json(key);
  });

  return router;

  function toNewKey(asked: CreateKeyRequest, caller: Caller): NewKey {
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

  async function showWithToken({ token, key: info }: { token: string; key: KeyInfo }) {
    const [key] = await show([info]);
    return { key, token };
  }

  async function show(infos: readonly KeyInfo[]): Promise<ManagedKey[]> {
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
}

export function editorOf(request: Pick<Request, 'ip'>, response: Response): KeyEditor {
  const { keyId, organization, domain } = callerOf(response);
  return { keyId, organization, domain, address: request.ip };
}
