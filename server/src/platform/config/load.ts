import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { DocentError } from '../errors.ts';
import { budgetMistakes } from './budgets-config.ts';
import { dashboardMistakes, withPublicUrl } from './dashboard-config.ts';
import type { DocsConfig } from './docs-config.ts';
import { type Config, ConfigFile } from './schema.ts';
import { findPackage, notInstalled } from './provider-package.ts';
import { explainUnreadable } from './unreadable.ts';
import { type Environment, readEnvironment, secretValues, variablesFor } from './environment.ts';
import { handOverMistakes } from './hand-over-config.ts';
import { missingSecret } from './fields.ts';
import { projectMistakes, unknownModel } from './project-mistakes.ts';
import { isAddress } from './repository-address.ts';
import { feedbackMistakes } from './feedback-config.ts';
import { webhookMistakes } from './webhooks-config.ts';

/** The order in which to look for a file if none is named. */
const fileNames = [
  'docent.config.ts',
  'docent.config.mjs',
  'docent.config.js',
  'docent.config.json',
];

/** Every mistake in the configuration, each a line that says what to write instead. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: string[];

  constructor(where: string, mistakes: string[]) {
    const heading = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`;
    super(`${where} has ${heading}:\n${mistakes.map((mistake) => `  - ${mistake}`).join('\n')}`);
    this.mistakes = mistakes;
  }
}

export interface Loaded {
  config: Config;
  /** What the file says, before defaults. */
  input: unknown;
  /** The configuration file; undefined: a program made the configuration. */
  file: string | undefined;
  environment: Environment;
  /** What must not leave the service. */
  secrets: string[];
}

/** The configuration file in this folder, if there is one. */
export function findConfig(): string | undefined {
  return fileNames.find((name) => existsSync(name));
}

/** What is checked besides the file itself. */
interface Checks {
  /** A command needs only the variables and packages that it uses; the service says at its start what is missing. */
  isCommand?: boolean;
}

/** Reads the configuration file, or the first of the usual names in this folder. */
export async function loadConfig(file?: string, checks: Checks = {}): Promise<Loaded> {
  const found = file ?? findConfig();
  if (!found || !existsSync(found)) {
    throw new DocentError(
      'not_found',
      found
        ? `There is no file ${found}. Name another one with --config.`
        : 'There is no configuration file in this folder. Write one with `docent init`, or name one with --config.',
    );
  }
  const path = resolve(found);
  const folder = dirname(path);
  const variables = readVariables(folder);
  const loaded = checkConfig(await readFile(path), { folder, where: found, variables, ...checks });
  return { ...loaded, file: path };
}

function readVariables(folder: string): NodeJS.ProcessEnv {
  try {
    return variablesFor(folder);
  } catch (cause) {
    throw new ConfigError(join(folder, '.env'), [`it cannot be read: ${(cause as Error).message}`]);
  }
}

async function readFile(path: string): Promise<unknown> {
  try {
    if (extname(path) === '.json') return JSON.parse(readFileSync(path, 'utf8'));
    const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
    return module.default;
  } catch (cause) {
    throw new ConfigError(path, [
      `it cannot be read: ${await explainUnreadable(path, cause as Error)}`,
    ]);
  }
}

/** Checks a configuration and fills in its defaults; folders become absolute. */
export function checkConfig(
  input: unknown,
  {
    folder,
    where = 'The configuration',
    variables,
    isCommand = false,
  }: { folder: string; where?: string; variables?: NodeJS.ProcessEnv } & Checks,
): Loaded {
  const { environment, mistakes } = readEnvironment(variables, { isLazy: isCommand });
  const read = ConfigFile.safeParse(input);
  if (!read.success) {
    throw new ConfigError(where, [...mistakes, ...read.error.issues.flatMap(explain)]);
  }
  const config = withFolders(read.data, folder);
  mistakes.push(...contradictions(config, environment));
  mistakes.push(...modelMistakes(config, environment, isCommand));
  if (mistakes.length > 0) throw new ConfigError(where, mistakes);
  const secrets = secretValues(config, variables);
  return { config, environment, secrets, input, file: undefined };
}

function withFolders(config: Config, folder: string): Config {
  const dataFolder = config.server.dataFolder;
  const located = (repository: string) =>
    isAddress(repository) ? repository : resolve(folder, repository);
  return {
    ...config,
    server: {
      ...config.server,
      dataFolder: dataFolder === ':memory:' ? dataFolder : resolve(folder, dataFolder),
    },
    dashboard: withPublicUrl(config),
    sites: config.sites.map((site) => ({
      ...site,
      docs: docsWithFolders(site.docs, folder),
    })),
    models: Object.fromEntries(
      Object.entries(config.models).map(([name, model]) => [
        name,
        model.provider === 'ai-sdk' ? { ...model, folder: resolve(folder, model.folder) } : model,
      ]),
    ),
    projects: config.projects.map((project) => ({
      ...project,
      repository: project.repository && located(project.repository),
      code: project.code.map((one) => ({ ...one, repository: located(one.repository) })),
    })),
  };
}

function docsWithFolders(docs: DocsConfig, folder: string): DocsConfig {
  const sources = docs.sources.map((source) => {
    if (source.type === 'folder') return { ...source, folder: resolve(folder, source.folder) };
    if (source.type === 'html') {
      const sources = source.sources && resolve(folder, source.sources);
      return { ...source, folder: resolve(folder, source.folder), sources };
    }
    if (source.type === 'git' && !isAddress(source.url)) {
      return { ...source, url: resolve(folder, source.url) };
    }
    if (source.type === 'openapi' && !isAddress(source.document)) {
      return { ...source, document: resolve(folder, source.document) };
    }
    return source;
  });
  if (docs.folder === undefined) return { ...docs, sources };
  return { ...docs, sources, folder: resolve(folder, docs.folder) };
}

function explain(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.length > 0 ? issue.path.join('.') : 'the file';
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) =>
        `${[...issue.path, key].join('.')} isn't a setting; remove it or correct its spelling`,
    );
  }
  return [`${path} ${issue.message}`];
}

/** Mistakes that no single field shows: repeated and unknown names, missing folders and secrets. */
function contradictions(config: Config, environment: Environment): string[] {
  const mistakes: string[] = [];
  const seen = new Set<string>();
  config.sites.forEach((site, index) => {
    const at = `sites.${index}`;
    if (seen.has(site.domain))
      mistakes.push(`${at}.domain "${site.domain}" is used twice; give each site its own`);
    seen.add(site.domain);
    for (const setting of ['model', 'fallback'] as const) {
      mistakes.push(...unknownModel(config, `${at}.${setting}`, site[setting]));
    }
    if (site.fallback !== undefined && (site.model ?? site.fallback) === site.fallback)
      mistakes.push(`${at}.fallback needs another "model" to stand in for; name one, or remove it`);
    if (site.rewriteFollowUps && site.model === undefined)
      mistakes.push(`${at}.rewriteFollowUps needs a model; name one with "model", or remove it`);
    mistakes.push(...sourceMistakes(site.docs, `${at}.docs`, environment));
  });
  const { server, search } = config;
  const searchKey = 'apiKeyEnv' in search ? search.apiKeyEnv : undefined;
  const embedderKey = search.embedder?.apiKeyEnv;
  const missing = (at: string, variable: string | undefined, what: string) =>
    missingSecret(environment, at, variable, what);
  return [
    ...mistakes,
    ...missing('server.metricsTokenEnv', server.metricsTokenEnv, 'a long random text'),
    ...missing('search', searchKey, "Meilisearch's key"),
    ...missing('search.embedder', embedderKey, "the provider's key"),
    ...budgetMistakes(config, environment),
    ...projectMistakes(config, environment),
    ...webhookMistakes(config, environment),
    ...feedbackMistakes(config),
    ...handOverMistakes(config, environment),
    ...dashboardMistakes(config, environment),
  ];
}

function modelMistakes({ models }: Config, environment: Environment, isCommand: boolean): string[] {
  return Object.entries(models).flatMap(([model, settings]) => {
    const { provider, apiKeyEnv } = settings;
    const missing = missingSecret(environment, `models.${model}`, apiKeyEnv, "the provider's key");
    // A command that asks the model says so when it loads the package.
    const isInstalled =
      isCommand ||
      provider !== 'ai-sdk' ||
      findPackage(settings.package, settings.folder) !== undefined;
    return isInstalled ? missing : [...missing, notInstalled(model, settings)];
  });
}

function sourceMistakes(docs: DocsConfig, at: string, environment: Environment): string[] {
  const { folder, sources } = docs;
  const notFolder = (path: string) =>
    `${path} is not a folder; write the one that holds the Markdown files`;
  const mistakes: string[] = [];
  if (folder !== undefined && !isFolder(folder)) mistakes.push(`${at}.folder ${notFolder(folder)}`);
  for (const [index, source] of sources.entries()) {
    const place = `${at}.sources.${index}`;
    if (source.type === 'folder' && !isFolder(source.folder)) {
      mistakes.push(`${place}.folder ${notFolder(source.folder)}`);
    }
    if (source.type === 'git' && !isAddress(source.url) && !isFolder(source.url)) {
      mistakes.push(
        `${place}.url ${source.url} is not a repository on this machine; write an address, such as "https://github.com/acme/docs.git", or its path`,
      );
    }
    if (source.type === 'openapi' && !isAddress(source.document) && !existsSync(source.document)) {
      mistakes.push(`${place}.document ${source.document} does not exist; write a file or address`);
    }
    const token = source.type === 'git' ? source.tokenEnv : undefined;
    mistakes.push(
      ...missingSecret(environment, place, token, 'a token that may read the repository'),
    );
  }
  return mistakes;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
