/**
 * Passwords of the dashboard: argon2id with the parameters that OWASP recommends, in the PHC format, so
 * that another program can make a hash for the environment.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { DocentError } from '../errors.ts';

const deriveNow = promisify(argon2);

const memoryKb = 19_456;
const passes = 2;
const hashBytes = 32;
const parameters = `$argon2id$v=19$m=${memoryKb},t=${passes},p=1`;

/** More would let a sign-in use too much of the machine. */
const maxMemoryKb = 131_072;
const maxPasses = 10;

/** Each hash takes 19 MB and a thread of Node.js's four, so strangers get two at a time, and a queue that ends. */
const atOnce = pLimit(2);
const maxWaiting = 200;

async function derive(...given: Parameters<typeof deriveNow>): Promise<Buffer> {
  if (atOnce.pendingCount >= maxWaiting) {
    const message = 'Too many people are signing in. Try again in a moment.';
    throw new DocentError('unavailable', message, { retryAfter: 5 });
  }
  return atOnce(() => deriveNow(...given));
}

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d)\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Whether it's a hash that this service can check: argon2id in the PHC format. */
export function isPasswordHash(hash: string): boolean {
  const [, memory, passes, lanes] = phc.exec(hash)?.map(Number) ?? [];
  if (memory === undefined || passes === undefined || lanes === undefined) return false;
  const isPossible = lanes >= 1 && memory >= 8 * lanes && passes >= 1;
  return isPossible && memory <= maxMemoryKb && passes <= maxPasses;
}

/** Whether a hash, which another program made, has other parameters than ours. */
export const isForeignHash = (hash: string): boolean => !hash.startsWith(`${parameters}$`);

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce: salt,
    parallelism: 1,
    tagLength: hashBytes,
    memory: memoryKb,
    passes,
  });
  return `${parameters}$${base64(salt)}$${base64(hash)}`;
}

/** Whether the password is the one behind the hash. Without a hash, takes as long and says no. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const found = phc.exec(hash ?? noHash);
  if (!found) return false;
  const [, memory, time, lanes, salt = '', tag = ''] = found;
  const right = Buffer.from(tag, 'base64');
  const given = await derive('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce: Buffer.from(salt, 'base64'),
    parallelism: Number(lanes),
    tagLength: right.length,
    memory: Number(memory),
    passes: Number(time),
  });
  return timingSafeEqual(given, right) && hash !== undefined;
}

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');

/** Stands for the hash of an unknown person. */
const noHash = `${parameters}$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(hashBytes))}`;
