import type { Request } from 'express';
import type { z } from 'zod';
import { DocentError } from '../errors.ts';

/** A body that must fit a schema; otherwise `bad_request`, whose details name each field that is wrong. */
export function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body);
  if (read.success) return read.data;
  const details = read.error.issues.slice(0, 20).map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }));
  const first = details[0];
  const where = first?.path ? ` \`${first.path}\`` : '';
  throw new DocentError('bad_request', `The request is not valid:${where} ${first?.message}.`, {
    details,
  });
}

/** Bodies are JSON and nothing else. */
export function requireJson(request: Request): void {
  if (request.is('application/json') === false) {
    throw new DocentError(
      'unsupported_media_type',
      'Send the body as JSON, with the header `Content-Type: application/json`.',
    );
  }
}
