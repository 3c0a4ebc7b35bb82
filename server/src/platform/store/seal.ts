/**
 * Encrypts what rows must not show: credentials for hosts of repositories. AES-256-GCM, with a key from the
 * environment, or from a file that only its owner can read. Backups of the database don't have the key.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const sealKeyFile = 'credentials.key';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

export type Seal = ReturnType<typeof createSeal>;

/** `secret`: of the environment. Without one, the file in the data folder is made at first use. */
export function createSeal({
  secret,
  dataFolder,
}: {
  secret: string | undefined;
  dataFolder: string;
}) {
  let known: Buffer | undefined;
  const key = () => (known ??= readKey());

  function readKey(): Buffer {
    if (secret !== undefined) return derive(secret);
    if (dataFolder === ':memory:') return randomBytes(32);
    const file = join(dataFolder, sealKeyFile);
    try {
      return derive(readFileSync(file, 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
    const made = `${file}.${randomBytes(6).toString('hex')}`;
    writeFileSync(made, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
    try {
      // A whole file or none: another process may make it at the same time, and the first one counts.
      linkSync(made, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(made);
    }
    return derive(readFileSync(file, 'utf8'));
  }

  return {
    /** `place`: where the text belongs. Elsewhere it can't be opened. */
    seal(text: string, place: string): string {
      const nonce = randomBytes(nonceBytes);
      const sealing = createCipheriv(cipher, key(), nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
      return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64');
    },

    /** `undefined`: it was sealed with another key, or somebody changed it. */
    open(sealed: string, place: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64');
      const textAt = nonceBytes + tagBytes;
      try {
        const opening = createDecipheriv(cipher, key(), bytes.subarray(0, nonceBytes))
          .setAAD(Buffer.from(place))
          .setAuthTag(bytes.subarray(nonceBytes, textAt));
        return Buffer.concat([opening.update(bytes.subarray(textAt)), opening.final()]).toString();
      } catch {
        return undefined;
      }
    },
  };
}

const derive = (secret: string) =>
  Buffer.from(hkdfSync('sha256', secret.trim(), '', 'docent credentials', 32));
