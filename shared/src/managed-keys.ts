/** API keys, as their owners list and change them. Not in the service document. */
import { z } from 'zod';
import { keyScopes } from './keys.ts';

const hoursOfDay = 24;
const maxDays = 3_650;

/** Admin keys expire after this time unless their creator chooses another one. */
export const adminKeyDays = 90;

export const KeysQuery = z.strictObject({
  /** `ended`: revoked or expired. Without it, all keys. */
  status: z.enum(['active', 'ended']).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  /** `nextCursor` of the previous page. */
  cursor: z.string().max(50).optional(),
});
export type KeysQuery = z.output<typeof KeysQuery>;

/** Who did something: a person, a key, or the command line. */
export const Actor = z.object({
  kind: z.string(),
  id: z.string().nullable(),
  /** Of a person or a key. */
  name: z.string().nullable(),
});
export type Actor = z.output<typeof Actor>;

export const ManagedKey = z.object({
  id: z.string(),
  kind: z.enum(['assistant', 'admin']),
  name: z.string(),
  /** The only site that the key is for. Null: all sites of the organization. */
  domain: z.string().nullable(),
  scopes: z.array(z.string()),
  /** Addresses and subnets that may use the key. Null: all. */
  networks: z.array(z.string()).nullable(),
  /** Groups that its filters may name. */
  groups: z.array(z.string()),
  /** The last four characters. */
  hint: z.string(),
  status: z.enum(['active', 'expired', 'revoked']),
  createdAt: z.iso.datetime(),
  createdBy: Actor,
  expiresAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  /** The token before the last rotation, while it's valid. */
  previous: z
    .object({
      hint: z.string(),
      until: z.iso.datetime(),
      lastUsedAt: z.iso.datetime().nullable(),
    })
    .nullable(),
  /** In this calendar month (UTC). `limit` is for questions and for other requests, each. */
  usage: z.object({
    questions: z.number().int(),
    requests: z.number().int(),
    limit: z.number().int(),
    costUsd: z.number(),
  }),
});
export type ManagedKey = z.output<typeof ManagedKey>;

export const KeysResponse = z.object({
  /** Newest first. */
  keys: z.array(ManagedKey),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});

const Entries = z.array(z.string().trim().min(1).max(100)).min(1).max(50);

export const CreateKeyRequest = z.strictObject({
  kind: z.enum(['assistant', 'admin']),
  /** What the key is for. */
  name: z.string().trim().min(1).max(100),
  /** The only site that an assistant key is for. The default is all sites of the organization. */
  domain: z.string().max(255).optional(),
  /** The default is all scopes of its kind. */
  scopes: z
    .array(z.enum([...keyScopes.assistant, ...keyScopes.admin]))
    .min(1)
    .optional(),
  /** Addresses and subnets that may use the key. The default is all. */
  networks: Entries.optional(),
  /** Groups whose pages an assistant key may ask for. The default is none. */
  groups: Entries.optional(),
  /** Null: never. The default is never for assistant keys, and 90 days for admin keys. */
  expiresInDays: z.number().int().min(1).max(maxDays).nullable().optional(),
});
export type CreateKeyRequest = z.output<typeof CreateKeyRequest>;

export const RotateKeyRequest = z.strictObject({
  /** How long the token before stays valid. */
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(90 * hoursOfDay)
    .default(7 * hoursOfDay),
});

/** The only time that a token is seen. */
export const KeyWithToken = z.object({ key: ManagedKey, token: z.string() });
export type KeyWithToken = z.output<typeof KeyWithToken>;
