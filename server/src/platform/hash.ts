import { type BinaryToTextEncoding, createHash } from 'node:crypto';

type Data = string | NodeJS.ArrayBufferView;

/** The SHA-256 of a text, of bytes, or of several one after the other. */
export function sha256(
  data: Data | readonly Data[],
  encoding: BinaryToTextEncoding = 'hex',
): string {
  const hash = createHash('sha256');
  for (const part of Array.isArray(data) ? (data as readonly Data[]) : [data as Data]) {
    hash.update(part);
  }
  return hash.digest(encoding);
}

/** A short name for a value, the same for values that look the same as JSON. */
export const digestOf = (value: unknown): string => sha256(JSON.stringify(value), 'base64url');
