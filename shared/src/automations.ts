/** Automations: work on the documentation that begins by itself. Not in the service document. */
import { z } from 'zod';

const repository = z.string().min(1).max(200);

/** A commit. */
const since = z.string().regex(/^(?:[\da-f]{40}|[\da-f]{64})$/);

/** What it looks at. A repository is a name of the project's `code`. */
export const AutomationTask = z.discriminatedUnion('about', [
  /** Broken links, anchors, and images. */
  z.strictObject({ about: z.literal('links') }),
  /** Questions that the documentation doesn't answer. */
  z.strictObject({ about: z.literal('gaps') }),
  /** Bad ratings of answers and pages. */
  z.strictObject({ about: z.literal('ratings') }),
  /** Pages that nobody has changed for so many months. */
  z.strictObject({ about: z.literal('stale'), months: z.int().min(1).max(120).default(12) }),
  /** Changes merged into the branch of a code repository. */
  z.strictObject({
    about: z.literal('code'),
    repository,
    /** A commit: what was merged after it counts, too. By default, what is merged from now on. */
    since: since.optional(),
  }),
  /** What code contradicts: all pages the first time, then what was merged since. */
  z.strictObject({ about: z.literal('drift'), repository, since: since.optional() }),
  /** New tags of a code repository. */
  z.strictObject({ about: z.literal('release'), repository }),
  /** What the instruction says. */
  z.strictObject({ about: z.literal('words') }),
]);
export type AutomationTask = z.output<typeof AutomationTask>;

/** When it looks. */
export const AutomationTrigger = z.discriminatedUnion('on', [
  /** Five fields of cron, in a time zone such as `Europe/Berlin`. */
  z.strictObject({
    on: z.literal('schedule'),
    cron: z.string().min(1).max(100),
    timeZone: z.string().min(1).max(100).default('UTC'),
  }),
  /** When there is something new; `count`: that many gaps or ratings. */
  z.strictObject({ on: z.literal('change'), count: z.int().min(1).max(1_000).default(1) }),
  /** Only when somebody asks for it. */
  z.strictObject({ on: z.literal('call') }),
]);
export type AutomationTrigger = z.output<typeof AutomationTrigger>;

const fields = {
  name: z.string().trim().min(1).max(100),
  task: AutomationTask,
  trigger: AutomationTrigger,
  /** The owner's words, in addition to what was found. */
  instruction: z.string().trim().max(8_000).default(''),
  asDraft: z.boolean().default(false),
};

export const NewAutomation = z.strictObject({ project: z.string().min(1).max(200), ...fields });
export type NewAutomation = z.output<typeof NewAutomation>;

export const AutomationChange = z.strictObject({
  name: fields.name.optional(),
  trigger: AutomationTrigger.optional(),
  instruction: z.string().trim().max(8_000).optional(),
  asDraft: z.boolean().optional(),
  isPaused: z.boolean().optional(),
});
export type AutomationChange = z.output<typeof AutomationChange>;

/**
 * `started`: a job; `added`: a further instruction of the job whose pull request is open; `nothing`: no action
 * was needed; `capped`: too many pull requests are open; `failed`: it couldn't look, or its job failed.
 */
export const automationOutcomes = ['started', 'added', 'nothing', 'capped', 'failed'] as const;

export const AutomationRun = z.object({
  id: z.string(),
  status: z.enum(['waiting', 'working', 'ended']),
  /** Null while it looks. */
  outcome: z.enum(automationOutcomes).nullable(),
  /** Why it began: a time of its schedule, what was new, or who asked for it. */
  cause: z.string(),
  /** Why nothing came of it, or what to know besides. */
  reason: z.string().nullable(),
  /** What it read, and at which commit. */
  read: z.array(z.object({ what: z.string(), commit: z.string().nullable() })),
  /** What it found; at most 50. */
  findings: z.array(z.string()),
  more: z.int(),
  job: z.string().nullable(),
  pullRequest: z.object({ number: z.int(), url: z.string() }).nullable(),
  /** The commit that it made. */
  commit: z.string().nullable(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});
export type AutomationRun = z.output<typeof AutomationRun>;

export const Automation = z.object({
  id: z.string(),
  project: z.string(),
  ...fields,
  isPaused: z.boolean(),
  /** When it looks next; null: only when somebody asks for it. */
  nextAt: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
  lastRun: AutomationRun.nullable(),
});
export type Automation = z.output<typeof Automation>;

export const AutomationsQuery = z.strictObject({ project: z.string().max(200).optional() });
export const AutomationsReply = z.object({
  automations: z.array(Automation),
  /** What automations can look at: the projects, and the names of their code repositories. */
  projects: z.array(
    z.object({
      id: z.string(),
      hasModel: z.boolean(),
      site: z.string().nullable(),
      code: z.array(z.string()),
    }),
  ),
});
export type AutomationsReply = z.output<typeof AutomationsReply>;

export const AutomationRunsQuery = z.strictObject({
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});
export const AutomationRunsReply = z.object({
  runs: z.array(AutomationRun),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});

/** Pages that the last days of a code repository may concern. Nothing is started. */
export const CodeProposals = z.object({
  commit: z.string(),
  /** The commit of so many days ago; null: the repository is younger. */
  since: z.string().nullable(),
  days: z.int(),
  commits: z.int(),
  proposals: z.array(
    z.object({
      page: z.string(),
      /** What the page names and the code has changed. */
      words: z.array(z.string()),
      files: z.array(z.string()),
    }),
  ),
  /** About what one job for all of them takes; null: there is nothing to do. */
  estimate: z
    .object({
      tokens: z.int(),
      /** Null: the model has no price in the configuration. */
      costUsd: z.number().nullable(),
    })
    .nullable(),
});
export type CodeProposals = z.output<typeof CodeProposals>;
