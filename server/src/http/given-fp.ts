import type { Request } from 'express';
import { anonymous } from '../redaction/pseudonym.ts';

/** A reader with a name says it again: in a header, which chat SDKs can set, or in the query. */
export function givenFp(request: Pick<Request, 'get' | 'query'>): string {
  const given = request.get('x-fp') ?? request.query['fp'];
  return typeof given === 'string' && given !== '' ? given : anonymous;
}
