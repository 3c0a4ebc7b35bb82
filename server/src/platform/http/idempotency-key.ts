import { DocentError } from '../errors.ts';

/** Spec: not shown; the header of the IETF's draft, as payment services have it. */
export function toIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw new DocentError(
    'bad_request',
    'The header `Idempotency-Key` must have 1 to 255 printable ASCII characters.',
  );
}
