/**
 * The configuration file: sites, projects, models, limits. Every message says what to write instead,
 * because all mistakes are printed together at start.
 */
import { z } from 'zod';
import { AgentConfig } from './agent-config.ts';
import { BudgetsConfig } from './budgets-config.ts';
import { DashboardConfig } from './dashboard-config.ts';
import { port, subnet, variable, webAddress, write } from './fields.ts';
import { EmailConfig } from './hand-over-config.ts';
import { LimitsConfig } from './limits-config.ts';
import { ModelConfig } from './model-config.ts';
import { ProjectConfig } from './project-config.ts';
import { SearchConfig } from './search-config.ts';
import { SiteConfig } from './site-config.ts';
import { trimEndOf } from '../text.ts';

export const ConfigFile = z.strictObject({
  server: z
    .strictObject(
      {
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
        shutdownGraceSeconds: z.number(write('a number of seconds')).min(0).max(600).default(10),
      },
      write('an object of server settings'),
    )
    .prefault({}),
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
  projects: z.array(ProjectConfig, write('a list of projects')).default([]),
});

/** The content of the file, before defaults. */
export type DocentConfig = z.input<typeof ConfigFile>;

/** The configuration with its defaults filled in and its folders absolute. */
export type Config = z.output<typeof ConfigFile>;

/** Gives editors the types of a `docent.config.ts`. */
export function defineConfig(config: DocentConfig): DocentConfig {
  return config;
}

/** Where a server listens, as an address to open. */
export function serverUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Where readers' browsers reach it: behind a proxy, only the owner knows. */
export function publicUrlOf(server: Pick<Config['server'], 'host' | 'port' | 'publicUrl'>): string {
  return server.publicUrl ?? serverUrl(server);
}

/** The path of the public address, such as `/docent`, or nothing. Links within our pages start with it, and the proxy removes it from requests. */
export function basePathOf({ publicUrl }: Pick<Config['server'], 'publicUrl'>): string {
  return publicUrl === undefined ? '' : trimEndOf(new URL(publicUrl).pathname, '/');
}
