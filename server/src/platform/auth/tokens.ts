/** Tokens of keys. Rows hold only their hashes. */
import { randomBytes } from 'node:crypto';
import { type KeyKind, keyKind, keyPrefixes } from '@docent/shared/keys';
import { sha256 } from '../hash.ts';

/** A new token: shown once to whoever asked for it, then known only by its hash. */
export function makeToken(kind: KeyKind): string {
  const prefix = keyPrefixes.find(([, each]) => each === kind)?.[0];
  let token: string;
  // The random part of an admin token may by chance begin like the assistant prefix.
  do token = prefix + randomBytes(32).toString('base64url');
  while (keyKind(token) !== kind);
  return token;
}

/** A token of a session or a link. Its prefix is that of our keys, so that it's recognized wherever text leaves. */
export const makeSecret = (): string => `svc_web_${randomBytes(32).toString('base64url')}`;

export const isSecret = (token: string): boolean => /^svc_web_[A-Za-z0-9_-]{43}$/.test(token);

/** 32 random bytes are too many to try, so a plain fast hash protects them at rest. */
export function hashToken(token: string): string {
  return sha256(token);
}

/** Whether a token can be one of ours at all, so that nonsense costs no look-up. */
export function isToken(token: string): boolean {
  return /^svc_(dsc_)?[A-Za-z0-9_-]{43}$/.test(token);
}

/** What owners tell tokens apart by. */
export const hintOf = (token: string): string => token.slice(-4);
