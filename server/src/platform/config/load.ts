import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL, fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { DocentError } from '../errors.ts';
import { withPublicUrl } from './dashboard-config.ts';
import type { DocsConfig } from './docs-config.ts';
import { type Config, ConfigFile } from './schema.ts';
import { type Environment, readEnvironment, secretValues, variablesFor } from './environment.ts';
import { type Checks, findMistakes } from './mistakes.ts';
import { isAddress } from './repository-address.ts';
import type { Database } from '../store/database.ts';

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

export function findConfig(): string | undefined {
  return fileNames.find((name) => existsSync(name));
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
  mistakes.push(...findMistakes(config, environment, { isCommand }));
  if (mistakes.length > 0) throw new ConfigError(where, mistakes);
  const secrets = secretValues(config, variables);
  return { config, environment, secrets, input, file: undefined };
}

function withFolders(config: Config, folder: string): Config {
  const { dataFolder } = config.server;
  const at = (place: string) => (isAddress(place) ? place : resolve(folder, place));
  return {
    ...config,
    server: {
      ...config.server,
      dataFolder: dataFolder === ':memory:' ? dataFolder : at(dataFolder),
    },
    dashboard: withPublicUrl(config),
    sites: config.sites.map((site) => ({ ...site, docs: docsAt(site.docs, at) })),
    models: Object.fromEntries(
      Object.entries(config.models).map(([name, model]) => [
        name,
        model.provider === 'ai-sdk' ? { ...model, folder: at(model.folder) } : model,
      ]),
    ),
    projects: config.projects.map((project) => ({
      ...project,
      repository: project.repository && at(project.repository),
      code: project.code.map((one) => ({ ...one, repository: at(one.repository) })),
    })),
  };
}

function docsAt(docs: DocsConfig, at: (place: string) => string): DocsConfig {
  const sources = docs.sources.map((source) => {
    if (source.type === 'folder') return { ...source, folder: at(source.folder) };
    if (source.type === 'html') {
      return {
        ...source,
        folder: at(source.folder),
        sources: source.sources && at(source.sources),
      };
    }
    if (source.type === 'git') return { ...source, url: at(source.url) };
    if (source.type === 'openapi') return { ...source, document: at(source.document) };
    return source;
  });
  return { ...docs, sources, folder: docs.folder && at(docs.folder) };
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

/** Why a configuration file can't be read, and where in it: `line 3: Unexpected token ']'`. */
async function explainUnreadable(path: string, error: Error): Promise<string> {
  // Of JSON, Node.js quotes what is wrong, with its line breaks.
  if (extname(path) === '.json') return error.message.replaceAll(/\s+/g, ' ');
  const [words = ''] = error.message.split('\n');
  const { file = path, line } = (await placeOf(path, error)) ?? {};
  if (line === undefined) return words;
  return `${file === path ? '' : `${file}, `}line ${line}: ${words}`;
}

async function placeOf(
  path: string,
  error: Error,
): Promise<{ file: string; line: string } | undefined> {
  // The stack begins with the place for TypeScript, and with the name of the error otherwise.
  const [, file = '', line = ''] =
    /^(\/[^\n]+|[A-Z]:[^\n]+|file:[^\n]+?):(\d+)\n/.exec(error.stack ?? '') ??
    /\n +at (?:[^\n]*\()?(file:[^\n]+?):(\d+):\d+/.exec(error.stack ?? '') ??
    [];
  const isSyntax = error instanceof SyntaxError;
  if (file !== '' && !(isSyntax && error.stack?.startsWith(error.name))) {
    return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line };
  }
  // Node.js doesn't say where in JavaScript.
  return isSyntax && extname(path) !== '.ts' ? placeInScript(path) : undefined;
}

async function placeInScript(file: string) {
  const { parse } = await import('acorn');
  try {
    parse(readFileSync(file, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    return undefined;
  } catch (error) {
    const { loc } = error as { loc?: { line: number } };
    return loc && { file, line: String(loc.line) };
  }
}

export function hasChanged(file: string | undefined, since: Date): boolean {
  const written = file && statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return typeof written === 'number' && written > since.getTime();
}

/** Whether a service on this database has an older configuration. It reads the file only at its start. */
export async function isServiceOld(database: Database, file: string | undefined): Promise<boolean> {
  const processes = await database.selectFrom('processes').select('started_at').execute();
  return processes.some((each) => hasChanged(file, new Date(each.started_at)));
}

export const restartNeeded = 'The configuration has changed since the service started.';
