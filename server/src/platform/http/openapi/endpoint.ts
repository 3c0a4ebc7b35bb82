import type { ErrorCode } from '@docent/shared/errors';
import type { KeyScope } from '@docent/shared/keys';
import type { z } from 'zod';
import { permissions } from './permissions.ts';
import { type Endpoint, endpointsOf, json, type Reply, type Tag } from '../endpoint.ts';

export { json, type Reply };

interface Described {
  id: string;
  summary: string;
  description?: string;
  isDeprecated?: boolean;
  isOpenAi?: boolean;
  scope?: KeyScope;
  parameters?: Record<string, string>;
  query?: z.ZodType;
  body?: z.ZodType;
  reply?: z.ZodType | Reply | Reply[];
  errors?: readonly ErrorCode[];
}

/** Endpoints whose routes are declared elsewhere. */
export const tagged = (tag: Tag, endpoints: Record<string, Described>): Endpoint[] =>
  Object.entries(endpoints).map(([name, { scope, ...described }]) => {
    const who = permissions[name] ?? (scope === undefined ? 'public' : { key: scope });
    const declare = endpointsOf<never>(tag) as unknown as (
      name: string,
      declared: object,
    ) => Endpoint;
    return declare(name, { ...described, who, run: undefined });
  });
