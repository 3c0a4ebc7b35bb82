/** Who may read an answer again, or stop it. */
import { createHash } from 'node:crypto';
import type { Caller } from '../../platform/auth/key-store.ts';
import { anonymous } from '../../platform/redaction/pseudonym.ts';

/** Who asks, or asks to read again. */
export interface Asker {
  caller: Pick<Caller, 'keyId' | 'organization'>;
  domain: string;
  fp: string;
  /** Where the request comes from. */
  address: string;
}

/** Shorter chat ids are names that an application gave, and may be guessed. Chat SDKs make 16 random characters. */
const chatIdMinLength = 16;

/**
 * Our own id of an answer cannot be guessed, so it is enough, on the same site and for the same
 * reader; a reader without a name is anybody, as with threads.
 */
export function messageClaim(messageId: string, { caller, domain, fp }: Asker): string {
  return digest(['message', messageId, caller.organization, domain, fp]);
}

/**
 * A chat id is the client's, and some applications write one into their source, for all their
 * readers. So it counts with the same key only, and for a reader without a name from the same
 * address.
 */
export function chatClaim(chatId: string | undefined, asker: Asker): string | undefined {
  if (chatId === undefined || chatId.length < chatIdMinLength) return undefined;
  const { caller, domain, fp, address } = asker;
  const from = fp === anonymous ? address : '';
  return digest(['chat', chatId, caller.organization, caller.keyId, domain, fp, from]);
}

/** Shorter idempotency keys are names too. */
export const questionKeyMinLength = 16;

/**
 * A client's own name for one question (`Idempotency-Key`), by which it finds the answer before it
 * has heard our id of it. As much the client's as a chat id, so it counts for as little.
 */
export function questionClaim(key: string, asker: Asker): string {
  const { caller, domain, fp, address } = asker;
  const from = fp === anonymous ? address : '';
  return digest(['question', key, caller.organization, caller.keyId, domain, fp, from]);
}

function digest(what: string[]): string {
  return createHash('sha256').update(JSON.stringify(what)).digest('base64url');
}
