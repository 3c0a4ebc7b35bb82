import { z } from 'zod';
import { count, write } from './fields.ts';

/** `draft`: the pull request is a draft that says what to look at; `block`: there is none. */
const consequence = z.enum(['draft', 'block', 'allow'], {
  error: 'must be "draft", "block" or "allow"',
});

/** What a change may be before somebody has to look at it, or says beforehand that it may. */
export const GuardConfig = z
  .strictObject(
    {
      /** More changed files need `allowLarge` of the request. */
      files: count('a number of files').default(100),
      /** If more of the lines of the changed files are deleted, it needs `allowLarge` of the request. */
      deletedPercent: z
        .number(write('a number from 1 to 100'))
        .min(1, write('a number from 1 to 100'))
        .max(100, write('a number from 1 to 100'))
        .default(50),
      /** Addresses of hosts that are not known yet: see `files/new-hosts.ts`. */
      newHosts: consequence.default('draft'),
      /** Scripts, frames, handlers, MDX that computes something, programs. */
      newCode: consequence.default('draft'),
      /** Hosts that pages may always name; `*.acme.com` for all below. */
      hosts: z
        .array(
          z
            .string(write('a host such as "acme.com" or "*.acme.com"'))
            .regex(
              /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i,
              write('a host such as "acme.com" or "*.acme.com"'),
            )
            .transform((host) => host.toLowerCase()),
        )
        .default([]),
    },
    write('an object such as { "files": 50, "newHosts": "block" }'),
  )
  .prefault({});
export type GuardConfig = z.output<typeof GuardConfig>;
