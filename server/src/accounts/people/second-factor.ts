/** The second factor: codes of an authenticator app (TOTP), and recovery codes that work once. */
import { randomBytes } from 'node:crypto';
import { hashToken } from '../../platform/auth/tokens.ts';
import type { Database, Tables } from '../../platform/store/database.ts';

const stepMs = 30_000;
const recoveryCodeCount = 10;

// Loaded with the first code, to save time at start.
const totpOf = async (secret: string, label = '') => {
  const { Secret, TOTP } = await import('otpauth');
  return new TOTP({ issuer: 'Docent', label, secret: Secret.fromBase32(secret) });
};

export async function newSecondFactor(email: string): Promise<{ secret: string; uri: string }> {
  const { Secret } = await import('otpauth');
  const secret = new Secret({ size: 20 }).base32;
  return { secret, uri: (await totpOf(secret, email)).toString() };
}

/** The time step of a right code, at most one step off; undefined: it's wrong. */
export async function stepOf(secret: string, code: string, now: Date): Promise<number | undefined> {
  const totp = await totpOf(secret);
  const token = code.replaceAll(/\s/g, '');
  const delta = totp.validate({ token, timestamp: now.getTime(), window: 1 });
  return delta === null ? undefined : Math.floor(now.getTime() / stepMs) + delta;
}

export function newRecoveryCodes(): { codes: string[]; hashes: string } {
  const codes = Array.from(
    { length: recoveryCodeCount },
    () => randomBytes(10).toString('hex').match(/.{5}/g)?.join('-') ?? '',
  );
  return { codes, hashes: JSON.stringify(codes.map(hashToken)) };
}

/**
 * Whether a code is right, which uses it up: a code of the app works once, and so does none before it. Of
 * several uses at the same time, one succeeds.
 */
export async function useCode(
  database: Database,
  person: Tables['people'],
  code: string,
  now: Date,
): Promise<boolean> {
  if (person.second_factor === null) return false;
  const step = await stepOf(person.second_factor, code, now);
  const rows = database.updateTable('people').where('id', '=', person.id);
  if (step !== undefined) {
    const { numUpdatedRows } = await rows
      .set({ second_factor_step: step })
      .where((or) =>
        or.or([or('second_factor_step', 'is', null), or('second_factor_step', '<', step)]),
      )
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }
  const hashes = JSON.parse(person.recovery_codes ?? '[]') as string[];
  const used = hashToken(code.trim().toLowerCase());
  if (!hashes.includes(used)) return false;
  const { numUpdatedRows } = await rows
    .set({ recovery_codes: JSON.stringify(hashes.filter((each) => each !== used)) })
    .where('recovery_codes', '=', person.recovery_codes)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
