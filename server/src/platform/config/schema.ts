/**
 * The configuration file: sites, projects, models, limits. Every message says what to write instead,
 * because all mistakes are printed together at start.
 */
import { z } from 'zod';
import { BudgetsConfig } from './budgets-config.ts';
import { DashboardConfig } from './dashboard-config.ts';
import {
  count,
  list,
  port,
  range,
  section,
  subnet,
  variable,
  webAddress,
  write,
} from './fields.ts';
import { ModelConfig } from './model-config.ts';
import { ProjectConfig } from './project-config.ts';
import { SearchConfig } from './search-config.ts';
import { EmailConfig, SiteConfig } from './site-config.ts';
import { promises } from '@docent/shared/promises';

const modelName = z.string(write('the name of one of "models"')).optional();

/** What is to be said if the names of version 1, a faster and a more capable model, mean the same. */
export function sameModels({
  agent,
  projects,
}: Pick<Config, 'agent' | 'projects'>): string | undefined {
  const { sonnet, opus } = agent.models;
  const isSame = projects.some(
    ({ model }) => model !== undefined && (sonnet ?? model) === (opus ?? model),
  );
  return isSame
    ? 'Agent jobs that ask for the model "sonnet" or "opus" run on the same model; name two of your models in agent.models.'
    : undefined;
}

/** Agent jobs of all projects. */
export const AgentConfig = section('an object of settings for agent jobs', {
  /** Jobs that run at the same time in one process. */
  concurrency: count('a number of jobs').default(2),
  /** Jobs of one project that run at the same time, over all processes. */
  perProject: count('a number of jobs').default(1),
  /** A job that waits longer fails. */
  maxQueueMinutes: count('a number of minutes').default(24 * 60),
  /** New jobs and messages of one project in one hour. */
  perProjectAndHour: count('a number of requests').default(100),
  archiveAfterDays: count('a number of days').default(30),
  /** Days after the end of an archived job. */
  deleteAfterDays: z
    .union([z.literal('never'), z.number().int().positive()], write('a number of days, or "never"'))
    .default('never'),
  /** The configured models behind the names of version 1. */
  models: section('an object such as { "sonnet": "main" }', { sonnet: modelName, opus: modelName }),
});

const perMinute = (most: number) =>
  z
    .union([z.number().int().positive(), z.literal(false)], {
      error: write('a whole number of questions a minute, or false for no limit').error,
    })
    .default(most);

/** Limits of callers (service document, "Limits"). */
const LimitsConfig = section('an object of limits', {
  perKeyAndMonth: count('a whole number of uses').default(promises.usesPerKeyAndMonth),
  perOrganizationAndHour: count('a whole number of requests').default(
    promises.requestsPerOrganizationAndHour,
  ),
  perAddressAndDay: count('a whole number of requests').default(promises.requestsPerAddressAndDay),
  /** Not in the service document. A reader is an `fp`; `anonymous` doesn't count. */
  perReaderAndMinute: perMinute(60),
  perThreadAndMinute: perMinute(20),
  /** High, because an office can share an address, and a server can ask for its readers. */
  perAddressAndMinute: perMinute(1_500),
  /** Connections at the same time in each process: to one answer, and to job logs with one key. */
  readersPerAnswer: count('a whole number of connections').default(50),
  followersPerKey: count('a whole number of connections').default(200),
});

export const ConfigFile = z.strictObject({
  server: section('an object of server settings', {
    host: z.string().min(1).default('127.0.0.1'),
    port: port.default(4320),
    /** The address of the service for readers' browsers, in the script tag that the command line prints. */
    publicUrl: webAddress('https://docent.example.com').optional(),
    /** The number of proxies in front, or their subnets. Off by default, because any client can send `X-Forwarded-For`. */
    trustProxy: z
      .union([z.number().int().min(1), z.array(subnet).min(1)], {
        error:
          'must be the number of proxies in front, such as 1, or a list of their addresses or subnets, such as ["10.0.0.0/8"]',
      })
      .optional(),
    /** The variable with the token for `/metrics`. Without one, there are no metrics. */
    metricsTokenEnv: variable.optional(),
    /** Relative to the configuration file. */
    dataFolder: z.string().min(1).default('.docent'),
    /** How long running answers may continue after a stop signal. */
    shutdownGraceSeconds: range('a number of seconds', 0, 600).default(10),
  }),
  dashboard: DashboardConfig,
  limits: LimitsConfig,
  budgets: BudgetsConfig,
  email: EmailConfig,
  search: SearchConfig,
  models: z.record(z.string(), ModelConfig, write('an object of models by name')).default({}),
  sites: z
    .array(SiteConfig, write('a list of at least one site'))
    .min(1, write('at least one site')),
  agent: AgentConfig,
  projects: list('a list of projects', ProjectConfig),
});

/** The content of the file, before defaults. */
export type DocentConfig = z.input<typeof ConfigFile>;

/** The configuration with its defaults filled in and its folders absolute. */
export type Config = z.output<typeof ConfigFile>;

/** Gives editors the types of a `docent.config.ts`. */
export function defineConfig(config: DocentConfig): DocentConfig {
  return config;
}

export function serverUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where readers' browsers reach it: behind a proxy, only the owner knows. */
export function publicUrlOf(server: Pick<Config['server'], 'host' | 'port' | 'publicUrl'>): string {
  return server.publicUrl ?? serverUrl(server);
}
