import type { ErrorCode } from '@docent/shared/errors';
import type { KeyScope } from '@docent/shared/keys';
import { z } from 'zod';

/** What comes back when all is well. */
export interface Reply {
  status: 200 | 201 | 202 | 204;
  description: string;
  /** Media type to schema; absent where there is no body. */
  content?: Record<string, z.ZodType | { description: string }>;
  headers?: Record<string, string>;
}

/** A reply with JSON. */
export const json = (schema: z.ZodType, description: string, more: Partial<Reply> = {}): Reply => ({
  status: 200,
  description,
  content: { 'application/json': schema },
  ...more,
});

type Tag =
  | 'Assistant'
  | 'Search'
  | 'Agents'
  | 'Agent jobs'
  | 'Feedback'
  | 'Analytics'
  | 'Operations'
  | 'People';

/** An endpoint, as far as the document can't derive it. */
interface Described {
  /** Unique; generated clients name their functions so. */
  id: string;
  summary: string;
  description?: string;
  isDeprecated?: boolean;
  /** Its errors have the shape that OpenAI's clients read. */
  isOpenAi?: boolean;
  /** The scope that an assistant key needs. What an admin endpoint needs is in the permission table. */
  scope?: KeyScope;
  /** Its parameters that need another description than the usual one. */
  parameters?: Record<string, string>;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** A schema is a reply whose description is the summary. Absent: 204. */
  reply?: z.ZodType | Reply | Reply[];
  /** What may go wrong beside what follows from the key, the path, the query, and the body. */
  errors?: readonly ErrorCode[];
}

export interface Endpoint extends Omit<Described, 'reply'> {
  /** As in the permission table: `POST /v1/keys`. */
  name: string;
  method: string;
  /** With its parameters in braces: `/mcp/{domain}`. */
  path: string;
  tag: Tag;
  replies: Reply[];
}

/** Endpoints by their names. */
export const tagged = (tag: Tag, endpoints: Record<string, Described>): Endpoint[] =>
  Object.entries(endpoints).map(([name, { reply, ...described }]) => {
    const [method = '', path = ''] = name.split(' ');
    const replies = [reply ?? ({ status: 204, description: 'Done.' } as const)].flat();
    return {
      ...described,
      name,
      method: method.toLowerCase(),
      path,
      tag,
      replies: replies.map((each) =>
        each instanceof z.ZodType ? json(each, described.summary) : each,
      ),
    };
  });
