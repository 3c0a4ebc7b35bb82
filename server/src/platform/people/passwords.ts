/**
 * Passwords of the dashboard: argon2id with the parameters that OWASP recommends, in the PHC format, so
 * that another program can make a hash for the environment.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { passwordMinCharacters } from '@docent/shared/people';
import { DocentError } from '../errors.ts';

const derive = promisify(argon2);

const memoryKb = 19_456;
const passes = 2;
const hashBytes = 32;

const phc =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

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
  return `$argon2id$v=19$m=${memoryKb},t=${passes},p=1$${base64(salt)}$${base64(hash)}`;
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
const noHash = `$argon2id$v=19$m=${memoryKb},t=${passes},p=1$${base64(Buffer.alloc(16))}$${base64(Buffer.alloc(hashBytes))}`;

/** Refuses a new password that's easy to guess. */
export function requireGoodPassword(password: string, { email }: { email: string }): void {
  const word = password.toLowerCase();
  const isRepeated = /^(.{1,6})\1+.{0,5}$/u.test(word);
  const isOwnName = word.includes(email.split('@')[0] ?? '') && word.length < 20;
  if (password.length < passwordMinCharacters || isRepeated || isOwnName) {
    throw new DocentError(
      'bad_request',
      `This password is easy to guess. Use at least ${passwordMinCharacters} characters that aren't your name or a repetition.`,
      { details: [{ path: 'password', message: 'is easy to guess' }] },
    );
  }
}
