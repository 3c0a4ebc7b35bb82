/**
 * The configuration file: sites, projects, models, limits. Every message says what to write instead,
 * because all mistakes are printed together at start.
 */
import { promises } from '@docent/shared/promises';
import { z } from 'zod';

/** "is missing; write …" or "is 12; write …". */
function write(hint: string) {
  return {
    error: (issue: { input?: unknown }) =>
      issue.input === undefined
        ? `is missing; write ${hint}`
        : `is ${JSON.stringify(issue.input)?.slice(0, 80)}; write ${hint}`,
  };
}

function count(hint: string) {
  return z.number(write(hint)).int(write(hint)).positive(write(hint));
}

const name = (what: string, example: string) =>
  z
    .string(write(`${what}, such as "${example}"`))
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,62}$/,
      write(`${what} in small letters, digits, "-", "_" or ".", such as "${example}"`),
    );

const webAddress = (example: string) => {
  const hint = write(`a full address, such as "${example}"`);
  return z
    .string(hint)
    .refine((value) => /^https?:\/\//.test(value) && URL.canParse(value), hint)
    .transform((value) => value.replace(/\/+$/, ''));
};

const variable = z
  .string(write('the name of an environment variable, such as "OPENAI_API_KEY"'))
  // What stands here by mistake is most often the secret itself: it is not repeated.
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    'must be the name of an environment variable, such as "OPENAI_API_KEY", not its value',
  );

const modelId = z
  .string(write('the model’s id as its provider knows it, such as "gpt-5-mini"'))
  .min(1, write('the model’s id'));

/** How to reach a language model. The key itself stands in the environment. */
export const ModelConfig = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({
      provider: z.literal('openai-compatible'),
      baseUrl: webAddress('http://127.0.0.1:11434/v1'),
      model: modelId,
      apiKeyEnv: variable.optional(),
    }),
    z.strictObject({
      provider: z.literal('openai'),
      model: modelId,
      apiKeyEnv: variable.default('OPENAI_API_KEY'),
    }),
    z.strictObject({
      provider: z.literal('anthropic'),
      model: modelId,
      apiKeyEnv: variable.default('ANTHROPIC_API_KEY'),
    }),
  ],
  { error: 'has no known provider; write "openai-compatible", "openai" or "anthropic"' },
);
export type ModelConfig = z.infer<typeof ModelConfig>;

const origin = z
  .string(write('an origin, such as "https://docs.example.com"'))
  .regex(
    /^(\*|https?:\/\/(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?|https?:\/\/\[[0-9a-fA-F:]+\](:\d{1,5})?)$/,
    write(
      'an origin without a path, such as "https://docs.example.com", "https://*.example.com", or "*" for any',
    ),
  )
  .transform((value) => value.toLowerCase());

export const DocsConfig = z.strictObject({
  /** Folder of Markdown and MDX files, relative to the configuration file. */
  folder: z
    .string(write('the folder of the Markdown files, such as "./docs"'))
    .min(1, write('the folder of the Markdown files, such as "./docs"')),
  /** Address of the site; without it the links of sources start at the root of whatever site shows them. */
  baseUrl: webAddress('https://docs.example.com').optional(),
  /** Where the folder's pages begin on the site. */
  basePath: z
    .string(write('a path, such as "/docs"'))
    .startsWith('/', write('a path that starts with "/", such as "/docs"'))
    .default('/'),
  /** How the site spells a page's path: `/a/b`, `/a/b/` or `/a/b.html`. */
  pathStyle: z
    .enum(['clean', 'slash', 'html'], write('"clean", "slash" or "html"'))
    .default('clean'),
  /** Globs relative to the folder; only these files are read. */
  include: z.array(z.string()).optional(),
  /** Globs relative to the folder; these files are left out. */
  exclude: z.array(z.string()).optional(),
});

export const SiteConfig = z.strictObject({
  domain: name('the site’s identifier', 'acme-docs'),
  organization: name('whose site it is', 'acme'),
  name: z
    .string(write('the name that readers see, such as "Acme"'))
    .min(1, write('the name that readers see')),
  docs: DocsConfig,
  allowedOrigins: z.array(
    origin,
    write('the origins whose pages may ask, such as ["https://docs.example.com"]'),
  ),
  starterQuestions: z
    .array(z.string().min(1).max(200), write('a list of questions'))
    .max(8)
    .default([]),
  /** A name from `models`; without one the built-in model quotes the documentation. */
  model: z.string(write('a name from "models"')).optional(),
});
export type SiteConfig = z.infer<typeof SiteConfig>;

/** A documentation project that agent jobs may work on. */
export const ProjectConfig = z.strictObject({
  id: name('the project’s identifier', 'acme-docs'),
  organization: name('whose project it is', 'acme'),
});

/** An address, a subnet, or one of the names that Express has for usual ones. */
const subnet = z.union([
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
]);

export const ConfigFile = z.strictObject({
  server: z
    .strictObject(
      {
        host: z.string().min(1).default('127.0.0.1'),
        port: z
          .number(write('a port number'))
          .int()
          .min(0, write('a port from 0 to 65535'))
          .max(65_535, write('a port from 0 to 65535'))
          .default(4320),
        /** Address that readers' browsers reach the service at; stands in the script tag that the command line prints. */
        publicUrl: webAddress('https://docent.example.com').optional(),
        /** How many proxies stand in front, or their subnets. Off by default: `X-Forwarded-For` is the client's word. */
        trustProxy: z
          .union([z.number().int().min(1), z.array(subnet).min(1)], {
            error:
              'must be the number of proxies in front, such as 1, or a list of their addresses or subnets, such as ["10.0.0.0/8"]',
          })
          .optional(),
        /** Relative to the configuration file. */
        dataFolder: z.string().min(1).default('.docent'),
        /** How long running answers may go on after a stop signal. */
        shutdownGraceSeconds: z.number(write('a number of seconds')).min(0).max(600).default(10),
      },
      write('an object of server settings'),
    )
    .prefault({}),
  limits: z
    .strictObject(
      {
        perKeyAndMonth: count('a whole number of uses').default(promises.usesPerKeyAndMonth),
        perOrganizationAndHour: count('a whole number of requests').default(
          promises.requestsPerOrganizationAndHour,
        ),
        perAddressAndDay: count('a whole number of requests').default(
          promises.requestsPerAddressAndDay,
        ),
      },
      write('an object of limits'),
    )
    .prefault({}),
  models: z.record(z.string(), ModelConfig, write('an object of models by name')).default({}),
  sites: z
    .array(SiteConfig, write('a list of at least one site'))
    .min(1, write('at least one site')),
  projects: z.array(ProjectConfig, write('a list of projects')).default([]),
});

/** What stands in the file, before defaults. */
export type DocentConfig = z.input<typeof ConfigFile>;

/** The configuration with its defaults filled in and its folders absolute. */
export type Config = z.output<typeof ConfigFile>;

/** Gives editors the types of a `docent.config.ts`. */
export function defineConfig(config: DocentConfig): DocentConfig {
  return config;
}
