/** What routes read of a request: who sent it, its body, its headers, and whether the client is still there. */
import { promises } from '@docent/shared/promises';
import express, { type Request, type RequestHandler, type Response } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import type { z } from 'zod';
import type { Caller, Session } from '../auth/caller.ts';
import { DocentError } from '../errors.ts';

/** Parses a body by a schema. Otherwise throws `bad_request` with the details of each wrong field. */
export function parse<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const read = schema.safeParse(body, { error: describe });
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

/** The mistake in a field, in words for callers and not for users of the library. */
function describe(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be of type ${issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.map((value) => `"${String(value)}"`).join(', ')}`;
    case 'too_small':
      return `is too small; the least is ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `is too big; the most is ${issue.maximum}${unitOf(issue.origin)}`;
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`;
    case 'invalid_format':
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'is not valid';
  }
}

function unitOf(origin: string): string {
  return { string: ' characters', array: ' entries' }[origin] ?? '';
}

const parseJson = express.json({ limit: promises.bodyMaxBytes });

export const jsonBody: RequestHandler = (request, response, next) => {
  requireJson(request);
  parseJson(request, response, next);
};

export function requireJson(request: Request, { isOptional = true } = {}): void {
  const isMissing = !isOptional && request.get('content-type') === undefined;
  if (isMissing || request.is('application/json') === false) {
    throw new DocentError(
      'unsupported_media_type',
      'Send the body as JSON, with the header `Content-Type: application/json`.',
    );
  }
}

/** The caller that the checks of an endpoint have noted. */
export const callerOf = ({ locals }: Pick<Response, 'locals'>): Caller =>
  locals['caller'] as Caller;

/** The session of a request that `requireAccess` let pass; undefined: an admin key. */
export const sessionOf = ({ locals }: Pick<Response, 'locals'>): Session | undefined =>
  locals['session'] as Session | undefined;

/** The address that a request comes from. Of an IPv6 address the network counts: browsers change the rest by themselves. */
export function addressOf({ ip }: Pick<Request, 'ip'>): string {
  return ipKeyGenerator(ip ?? 'unknown');
}

/** Spec: not shown; the header of the IETF's draft, as payment services have it. */
export function idempotencyKeyOf(request: Request): string | undefined {
  const header = request.get('idempotency-key');
  if (header === undefined) return undefined;
  if (/^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw new DocentError(
    'bad_request',
    'The header `Idempotency-Key` must have 1 to 255 printable ASCII characters.',
  );
}

/** Aborts when the client closes the connection before the answer is complete. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  // The client may have left while its body was read or its key was looked up.
  if (response.closed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
