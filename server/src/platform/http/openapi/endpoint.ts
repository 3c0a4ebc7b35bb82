import type { ErrorCode } from '@docent/shared/errors';
import type { KeyScope } from '@docent/shared/keys';
import type { z } from 'zod';

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

/** One endpoint, as the description of the API has it. */
export interface Endpoint {
  method: 'get' | 'post' | 'patch' | 'put' | 'delete';
  /** With its parameters in braces: `/mcp/{domain}`. */
  path: string;
  /** Unique; generated clients name their functions so. */
  id: string;
  tag:
    | 'Assistant'
    | 'Search'
    | 'Agents'
    | 'Agent jobs'
    | 'Feedback'
    | 'Analytics'
    | 'Operations'
    | 'People';
  summary: string;
  description?: string;
  isDeprecated?: boolean;
  /** Its errors have the shape that OpenAI's clients read. */
  isOpenAi?: boolean;
  /** The scope that an assistant key needs. What an admin endpoint needs is in the permission table. */
  scope?: KeyScope;
  /** Its parameters besides `domain` and `projectId`, with a description. */
  parameters?: Record<string, string>;
  query?: z.ZodObject;
  body?: z.ZodType;
  replies: Reply[];
  /** What may go wrong beside what may go wrong everywhere. */
  errors?: readonly ErrorCode[];
}
