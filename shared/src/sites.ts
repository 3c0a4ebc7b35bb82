/** Sites as their owners see them. Not in the service document. */
import { z } from 'zod';
import { RepositoryFolder, RepositoryPath } from './connections.ts';

export const instructionsMaxCharacters = 2_000;
export const StarterQuestion = z.string().trim().min(1).max(200);
const starterQuestionsMax = 8;

/** What an owner may change while the service runs; the configuration file wins. */
export const SiteSettingsRequest = z.strictObject({
  /** Of the settings that were read; 0: none were stored. */
  version: z.int().min(0),
  starterQuestions: z.array(StarterQuestion).max(starterQuestionsMax).optional(),
  instructions: z.string().trim().max(instructionsMaxCharacters).optional(),
});

export type SiteSettingsRequest = z.output<typeof SiteSettingsRequest>;

const setting = <Value extends z.ZodType>(value: Value) =>
  z.object({ value, from: z.enum(['file', 'dashboard', 'default']) });

export const SiteSettingsReply = z.object({
  domain: z.string(),
  version: z.number(),
  starterQuestions: setting(z.array(z.string())),
  instructions: setting(z.string()),
  updatedAt: z.string().nullable(),
  updatedBy: z.string().nullable(),
});
export type SiteSettingsReply = z.output<typeof SiteSettingsReply>;

/** Where the last run of the indexer stands. */
export const SiteRun = z.looseObject({
  status: z.enum(['never', 'running', 'complete', 'incomplete', 'waiting', 'failed']),
  isRequested: z.boolean(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  progress: z.looseObject({}).nullable(),
  report: z
    .looseObject({
      pages: z.number(),
      added: z.number(),
      changed: z.number(),
      removed: z.number(),
      passages: z.number(),
      warnings: z.array(z.string()),
      notes: z.array(z.string()),
      failures: z.array(z.string()),
      seconds: z.number(),
    })
    .nullable(),
  error: z.string().nullable(),
});

const summary = {
  domain: z.string(),
  name: z.string(),
  /** Where the site is published. */
  baseUrl: z.string().nullable(),
  /** The configured or recognized generator. */
  generator: z.string().nullable(),
  allowedOrigins: z.array(z.string()),
  /** A name from `models`; null: the built-in model, which quotes. */
  model: z.string().nullable(),
  /** `dashboard`: it was added there. */
  from: z.enum(['file', 'dashboard']),
  /** The project that changes its documentation. */
  project: z.string().nullable(),
  pages: z.number(),
  /** How often the sources are read again: `1h`. */
  every: z.string().nullable(),
  nextRunAt: z.string().nullable(),
  run: SiteRun,
};

export const SiteSummary = z.object(summary);
export type SiteSummary = z.output<typeof SiteSummary>;
export const SitesReply = z.object({ sites: z.array(SiteSummary) });
export type SitesReply = z.output<typeof SitesReply>;

export const SiteReply = z.object({
  ...summary,
  sources: z.array(
    z.object({
      type: z.string(),
      /** A folder or an address. */
      name: z.string(),
      /** Null: not read yet. */
      pages: z.number().nullable(),
      changedAt: z.string().nullable(),
    }),
  ),
  /** Names from `models`, for the playground. */
  models: z.array(z.string()),
  /** The folder of the pages in the repository, of a site that was added in the dashboard. */
  folder: z.string(),
});
export type SiteReply = z.output<typeof SiteReply>;

export const RecognizeSiteRequest = z.strictObject({
  connection: z.string().max(100),
  repository: RepositoryPath,
});
export type RecognizeSiteRequest = z.output<typeof RecognizeSiteRequest>;

/** The service checks the values as those of the configuration file. */
export const ChangeSiteRequest = z.strictObject({
  name: z.string().max(200),
  /** Where the site is published; null: links start at the root of the site that shows them. */
  baseUrl: z.string().max(1_000).nullable(),
  /** Of the documentation in the repository. */
  folder: RepositoryFolder,
  allowedOrigins: z.array(z.string().max(300)).max(50),
  /** A name from `models`; null: the built-in model, which quotes. */
  model: z.string().max(200).nullable(),
});
export type ChangeSiteRequest = z.output<typeof ChangeSiteRequest>;

export const AddSiteRequest = ChangeSiteRequest.extend({
  ...RecognizeSiteRequest.shape,
  domain: z.string().max(100),
});
export type AddSiteRequest = z.output<typeof AddSiteRequest>;

export const RecognizedSite = ChangeSiteRequest.omit({ model: true }).extend({
  domain: z.string(),
  /** `VitePress`, or another name for people. */
  generator: z.string(),
  /** Names from `models`. */
  models: z.array(z.string()),
  /** What to know before adding it. */
  notes: z.array(z.string()),
});
export type RecognizedSite = z.output<typeof RecognizedSite>;

export const TagReply = z.object({
  /** The address of the widget's loader. */
  src: z.string(),
  /** An assistant key, which is public. */
  key: z.string(),
  /** Where the tag goes, if the pages are on this machine and their generator is known. */
  place: z
    .object({
      generator: z.string(),
      file: z.string(),
      snippet: z.string(),
      /** The file has the tag already. */
      isDone: z.boolean(),
    })
    .nullable(),
});
export type TagReply = z.output<typeof TagReply>;

export const IndexQuery = z.strictObject({
  /** Approves a run that removes many pages. */
  acceptFewer: z.stringbool().optional(),
});

/** What a check found: something that works, something worth knowing, or a problem with its solution. */
export const Finding = z.object({
  kind: z.enum(['fine', 'note', 'problem']),
  text: z.string(),
  fix: z.string().optional(),
});
export type Finding = z.output<typeof Finding>;
export const FindingsReply = z.object({ findings: z.array(Finding) });
export type FindingsReply = z.output<typeof FindingsReply>;

export const SettingsReply = z.object({
  /** Null: the configuration was made by a program. */
  file: z.string().nullable(),
  settings: z.array(
    z.object({
      /** `sites.docs.name` */
      path: z.string(),
      /** As JSON. */
      value: z.unknown(),
      /** `dashboard`: of a project or a site that was added there. */
      from: z.enum(['file', 'default', 'dashboard']),
    }),
  ),
  environment: z.array(
    z.object({ name: z.string(), isSet: z.boolean(), isSecret: z.boolean(), usedFor: z.string() }),
  ),
});
export type SettingsReply = z.output<typeof SettingsReply>;

export const ServiceHealthReply = z.object({
  version: z.string(),
  node: z.string(),
  startedAt: z.string(),
  memoryBytes: z.number(),
  /** How long this process answered nobody, since it started. Above 200 ms, the log names the work. */
  eventLoop: z.object({ p99Ms: z.number(), maxMs: z.number() }),
  processes: z.array(z.object({ name: z.string(), startedAt: z.string() })),
  database: z.object({
    kind: z.enum(['sqlite', 'postgresql']),
    latencyMs: z.number(),
    bytes: z.number().nullable(),
  }),
  disk: z.object({ freeBytes: z.number(), totalBytes: z.number() }).nullable(),
  search: z.object({
    engine: z.string(),
    state: z.string(),
    /** Null: none is configured. */
    embedder: z
      .object({
        model: z.string(),
        /** What this process's last question showed. */
        state: z.enum(['unknown', 'ready', 'warming-up', 'unavailable']),
      })
      .nullable(),
  }),
  models: z.array(
    z.object({
      name: z.string(),
      model: z.string(),
      /** Which server of one's own it runs on, such as `Ollama`; null: another, or unknown. */
      server: z.string().nullable(),
      /** Of a prompt and its answer; null: unknown. */
      contextTokens: z.number().nullable(),
      /** What went wrong with the last prompt, and what to change. */
      notice: z.string().nullable(),
    }),
  ),
  queue: z.object({
    activeJobs: z.number(),
    waitingJobs: z.number(),
    runningAnswers: z.number(),
    pendingDeliveries: z.number(),
  }),
  /** Of this process, the newest first. */
  recentErrors: z.array(
    z.object({ time: z.string(), level: z.enum(['warn', 'error', 'fatal']), message: z.string() }),
  ),
});
export type ServiceHealthReply = z.output<typeof ServiceHealthReply>;

export const ModelCheckRequest = z.union([
  z.strictObject({ model: z.string().min(1) }),
  z.strictObject({ embedder: z.literal(true) }),
]);
