/**
 * An endpoint is one declaration: its route, who may use it, its limit, its request, its reply, and what it
 * does. `mountEndpoints` makes the routes of them, and `openapi/document.ts` the description of the API.
 */
import type { ErrorCode } from '@docent/shared/errors';
import type { KeyScope } from '@docent/shared/keys';
import type { Role } from '@docent/shared/people';
import type { Request, RequestHandler, Response } from 'express';
import { z } from 'zod';
import type { Project } from '../tenants/projects.ts';
import type { Site } from '../tenants/sites.ts';
import type { Caller, Session } from '../auth/caller.ts';

/** The least role of a person who is signed in, and the scope of an admin key. */
export interface Permission {
  role: Role;
  /** Undefined: not for keys, because it's about the person who is signed in. */
  scope: 'read' | 'write' | undefined;
  /** Also for people who have yet to set up the second factor that the service requires. */
  isForEnrollment?: boolean;
}

/** People and admin keys, assistant keys with a scope, or everybody. */
type Who = Permission | { key: KeyScope } | 'public';

export const viewerReads = { role: 'viewer', scope: 'read' } as const satisfies Permission;
export const adminReads = { role: 'admin', scope: 'read' } as const satisfies Permission;
export const editorWrites = { role: 'editor', scope: 'write' } as const satisfies Permission;
export const adminWrites = { role: 'admin', scope: 'write' } as const satisfies Permission;
/** A key that could change people could make an owner of its bearer. */
export const adminInPerson = { role: 'admin', scope: undefined } as const satisfies Permission;
export const oneself = { role: 'viewer', scope: undefined } as const satisfies Permission;
export const enrollment = { ...oneself, isForEnrollment: true } as const satisfies Permission;

/**
 * What a request counts as, beyond refused keys, which always count by their address:
 * `lookup` by its address, before its key is looked up; `question` likewise, as one that may call a model;
 * `instruction` by the project; `none` not at all, for programs that poll.
 */
export type Limit = 'lookup' | 'question' | 'instruction' | 'none';

/** What comes back when all is well. */
export interface Reply<Schema extends z.ZodType = z.ZodType> {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** Media type to schema; absent where there is no body. */
  content?: Record<string, Schema | { description: string }>;
  headers?: Record<string, string>;
}

type JsonReply<Schema extends z.ZodType> = Reply & { schema: Schema };

export const json = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  more: Partial<Reply> = {},
): JsonReply<Schema> => ({
  status: 200,
  description,
  content: { 'application/json': schema },
  ...more,
  schema,
});

/** Of replies whose limits clients may read. */
export const countedHeaders = {
  RateLimit: 'What is left.',
  'RateLimit-Policy': 'The limits that apply.',
};

export type Tag =
  | 'Assistant'
  | 'Search'
  | 'Agents'
  | 'Agent jobs'
  | 'Feedback'
  | 'Analytics'
  | 'Operations'
  | 'People';

type ParameterOf<Name extends string> = Name extends `${string}{${infer Parameter}}${infer Rest}`
  ? Parameter | ParameterOf<Rest>
  : never;

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** A request that passed the checks of its endpoint. */
export interface Call<Name extends string, W, Query, Body> {
  params: Record<ParameterOf<Name>, string>;
  query: Output<Query>;
  body: Output<Body>;
  caller: W extends 'public' ? undefined : Caller;
  /** Of a person; a key has none. */
  session: W extends { scope: undefined } ? Session : Session | undefined;
  /** Of `{domain}`, and the caller's. */
  site: 'domain' extends ParameterOf<Name> ? Site : undefined;
  /** Of `{projectId}`, and the caller's. */
  project: 'projectId' extends ParameterOf<Name> ? Project : undefined;
  request: Request;
  response: Response;
  /** Aborts when the client closes the connection before the answer is complete. */
  readonly signal: AbortSignal;
}

/** What `run` gives back if it has written the response itself. */
export const sent = Symbol('sent');

/** Without index signatures, which interfaces don't match. */
type Closed<T> = T extends readonly (infer Item)[]
  ? readonly Closed<Item>[]
  : T extends object
    ? { [Key in keyof T as string extends Key ? never : Key]: Closed<T[Key]> }
    : T;

type Result<R> =
  R extends JsonReply<infer Schema>
    ? Closed<z.input<Schema>> | typeof sent
    : R extends z.ZodType
      ? Closed<z.input<R>> | typeof sent
      : R extends Reply | Reply[]
        ? unknown
        : void | typeof sent;

/** What an endpoint says as its declaration does. */
interface Facts<Deps> {
  /** Unique; generated clients name their functions so. */
  id: string;
  summary: string;
  description?: string;
  isDeprecated?: boolean;
  /** Its errors have the shape that OpenAI's clients read. */
  isOpenAi?: boolean;
  /** It reads and checks the body itself: `body` only describes it. */
  checksBody?: boolean;
  /** Its parameters that need another description than the usual one. */
  parameters?: Record<string, string>;
  /** What may go wrong beside what follows from the key, the path, the query, and the body. */
  errors?: readonly ErrorCode[];
  /** Runs after the key is known, and before the body is read. */
  before?: (deps: Deps) => RequestHandler[];
}

interface Declared<Name extends string, Deps, W extends Who, Query, Body, R> extends Facts<Deps> {
  who: W;
  /** `lookup` if it isn't said. */
  limit?: Limit;
  query?: Query;
  body?: Body;
  /** A schema is a reply whose description is the summary. Absent: 204. */
  reply?: R;
  run: (call: Call<Name, W, Query, Body>, deps: Deps) => Promise<Result<R>> | Result<R>;
}

export interface Endpoint<Deps = never> extends Facts<Deps> {
  /** `POST /v1/keys/{id}/rotate` */
  name: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** With its parameters in braces: `/mcp/{domain}`. */
  path: string;
  tag: Tag;
  who: Who;
  limit: Limit;
  query?: z.ZodType;
  body?: z.ZodType;
  replies: Reply[];
  run: (call: Call<string, Who, z.ZodType, z.ZodType>, deps: Deps) => unknown;
}

/** Declares endpoints of a feature, which gets `Deps` from `compose.ts`. */
export const endpointsOf =
  <Deps>(tag: Tag) =>
  <
    const Name extends string,
    const W extends Who,
    const R extends z.ZodType | Reply | Reply[] | undefined = undefined,
    Query extends z.ZodType | undefined = undefined,
    Body extends z.ZodType | undefined = undefined,
  >(
    name: Name,
    declared: Declared<Name, Deps, W, Query, Body, R>,
  ): Endpoint<Deps> => {
    const { reply, limit = 'lookup', ...rest } = declared;
    const [method = '', path = ''] = name.split(' ');
    const replies = [reply ?? ({ status: 204, description: 'Done.' } as const)].flat();
    return {
      ...rest,
      name,
      method: method.toLowerCase(),
      path,
      tag,
      limit,
      replies: replies.map((each) =>
        each instanceof z.ZodType ? json(each, declared.summary) : each,
      ),
    } as unknown as Endpoint<Deps>;
  };

/** What it requires of people and admin keys; undefined: it's for assistant keys or for everybody. */
export const permissionOf = ({ who }: Pick<Endpoint, 'who'>): Permission | undefined =>
  typeof who === 'object' && 'role' in who ? who : undefined;

/** A page of a list, of which one row more than asked for was read: it shows whether there are more. */
export function toPage<Row, Cursor>(
  found: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => Cursor,
): { rows: Row[]; next: { nextCursor: Cursor | null; hasMore: boolean } } {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  const hasMore = last !== undefined;
  return { rows, next: { nextCursor: hasMore ? cursorOf(last) : null, hasMore } };
}
