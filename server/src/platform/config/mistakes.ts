/** Mistakes that no single field shows. Each is a line that says what to write instead. */
import { existsSync, statSync } from 'node:fs';
import { isLoopback } from '../network/addresses.ts';
import type { Budget } from './budgets-config.ts';
import type { Environment } from './environment.ts';
import { findPackage, notInstalled } from './provider-package.ts';
import { isAddress, readProjectAddress } from './repository-address.ts';
import type { Config } from './schema.ts';

type Checked = Pick<Environment, 'needs'>;

export interface Checks {
  /** A command needs only the variables and packages that it uses; the service says at its start what is missing. */
  isCommand?: boolean;
}

/** Repeated and unknown names, settings that contradict each other, and missing folders, programs, and secrets. */
export function* findMistakes(
  config: Config,
  environment: Checked,
  { isCommand = false }: Checks,
): Iterable<string> {
  const { agent, sites, projects, models } = config;
  for (const [index, site] of sites.entries()) yield* inSite(config, site, index);
  yield* inBudgets(config);
  for (const [name, key] of Object.entries(agent.models)) {
    yield* unknownModel(config, `agent.models.${name}`, key);
  }
  const { archiveAfterDays: archive, deleteAfterDays: last } = agent;
  if (last !== 'never' && last < archive) {
    yield `agent.deleteAfterDays is ${last}, less than "archiveAfterDays" (${archive}); jobs are archived before they are deleted: write ${archive} or more, or "never"`;
  }
  for (const [index, project] of projects.entries()) yield* inProject(config, project, index);
  yield* inDashboard(config);
  for (const [name, model] of Object.entries(models)) {
    // A command that asks the model says so when it loads the package.
    if (isCommand || model.provider !== 'ai-sdk') continue;
    if (findPackage(model.package, model.folder) === undefined) yield notInstalled(name, model);
  }
  yield* missingVariables(config, environment);
}

type Site = Config['sites'][number];
type Project = Config['projects'][number];

/** What the variables that the configuration names have to hold, by their settings. */
const purposes: readonly (readonly [setting: RegExp, what: string])[] = [
  [/^server\./, 'a long random text'],
  [/^search\.apiKeyEnv/, "Meilisearch's key"],
  [/^(search\.embedder|models)\./, "the provider's key"],
  [/^email\./, 'the password at the mail server'],
  [/^dashboard\.openId\./, "the client's secret"],
  [/\.docs\.sources\./, 'a token that may read the repository'],
  [/\.code\./, 'a token that may read it'],
  [/\.github\.tokenEnv/, 'a token that may write contents and pull requests'],
  [/\.github\.app\./, 'the private key of the App'],
  [/\.gitea\./, 'a token with the scopes write:repository and read:user'],
  [/\.gitlab\./, 'a token with the scope api'],
  [/\.conversation\./, 'the secret of the host’s webhook'],
  [/./, 'a secret that the receiver knows'],
];

/** The variables that aren't set: those of settings whose names end with `Env`, but for a provider's own `options`. */
function missingVariables(settings: unknown, environment: Checked, at = ''): string[] {
  if (typeof settings !== 'object' || settings === null) return [];
  return Object.entries(settings).flatMap(([name, value]) => {
    const path = at === '' ? name : `${at}.${name}`;
    if (name === 'options') return [];
    if (typeof value !== 'string' || !name.endsWith('Env')) {
      return missingVariables(value, environment, path);
    }
    const what = purposes.find(([setting]) => setting.test(path))?.[1];
    const where = at === 'server' ? path : at.replace(/\.app$/, '');
    const mistake = `${where} needs the environment variable ${value}; set it to ${what}`;
    return environment.needs(value, mistake);
  });
}

function* inSite(config: Config, site: Site, index: number): Iterable<string> {
  const at = `sites.${index}`;
  const { domain, docs, feedback, handOver, model, fallback } = site;
  if (isRepeated(config.sites, index, (one) => one.domain)) {
    yield `${at}.domain "${domain}" is used twice; give each site its own`;
  }
  yield* unknownModel(config, `${at}.model`, model);
  yield* unknownModel(config, `${at}.fallback`, fallback);
  if (fallback !== undefined && (model ?? fallback) === fallback) {
    yield `${at}.fallback needs another "model" to stand in for; name one, or remove it`;
  }
  if (site.rewriteFollowUps && model === undefined) {
    yield `${at}.rewriteFollowUps needs a model; name one with "model", or remove it`;
  }
  const notFolder = 'is not a folder; write the one that holds the Markdown files';
  if (docs.folder !== undefined && !isFolder(docs.folder)) {
    yield `${at}.docs.folder ${docs.folder} ${notFolder}`;
  }
  for (const [place, source] of docs.sources.entries()) {
    const where = `${at}.docs.sources.${place}`;
    if (source.type === 'folder' && !isFolder(source.folder)) {
      yield `${where}.folder ${source.folder} ${notFolder}`;
    } else if (source.type === 'git' && !isRepository(source.url)) {
      yield `${where}.url ${source.url} ${notRepository('https://github.com/acme/docs.git')}`;
    } else if (
      source.type === 'openapi' &&
      !isAddress(source.document) &&
      !existsSync(source.document)
    ) {
      yield `${where}.document ${source.document} does not exist; write a file or address`;
    }
  }
  // Commands can't act on what readers write.
  if (feedback.createJobs !== 'never') {
    const needs = `${at}.feedback.createJobs needs`;
    const project = config.projects.find((each) => each.site === domain);
    if (!project) {
      yield `${needs} a project of this site; add one to "projects" with site: "${domain}"`;
    }
    if (project && project.repository === undefined) {
      yield `${needs} the repository of the project "${project.id}"; set its "repository"`;
    }
    if (project && project.model === undefined) {
      yield `${needs} a language model that understands what readers write; set "model" of the project "${project.id}"`;
    }
  }
  if (handOver?.email !== undefined && !config.email) {
    yield `${at}.handOver.email needs a mail server; add "email" with its "host" and "from"`;
  }
}

function* inProject(config: Config, project: Project, index: number): Iterable<string> {
  const at = `projects.${index}`;
  const { id, organization, repository, code, webhooks, github, gitea, gitlab } = project;
  yield* unknownModel(config, `${at}.model`, project.model);
  if (isRepeated(config.projects, index, (one) => one.id)) {
    yield `${at}.id "${id}" is used twice; give each project its own`;
  }
  if (project.site !== undefined) {
    const where = `${at}.site "${project.site}"`;
    const site = config.sites.find(({ domain }) => domain === project.site);
    const domains = config.sites.map(({ domain }) => domain).join(', ');
    if (!site) yield `${where} isn't one of "sites" (${domains}); write the domain of one of them`;
    if (site && site.organization !== organization) {
      yield `${where} belongs to the organization "${site.organization}", the project to "${organization}"; they must be the same`;
    }
    if (isRepeated(config.projects, index, (one) => one.site)) {
      yield `${where} already has a project; a site can have only one`;
    }
  }
  if (repository !== undefined && isAddress(repository)) {
    const read = readProjectAddress({ ...project, repository });
    if ('mistake' in read) yield `${at}.repository ${read.mistake}`;
  } else if (repository !== undefined) {
    const { labels, reviewers } = project.pullRequest;
    if (labels.length + reviewers.length > 0)
      yield `${at}.pullRequest needs a host: pull requests of a repository on this machine have no labels and no reviewers; remove it`;
    if (!isFolder(repository))
      yield `${at}.repository ${repository} is not a repository on this machine; write an address, such as "https://github.com/acme/docs", or the path of a bare repository`;
  }
  const named = Object.entries({ github, gitea, gitlab }).flatMap(([forge, access]) =>
    access === undefined ? [] : [`"${forge}"`],
  );
  if (named.length > 1) {
    yield `${at} has ${named.join(' and ')}; keep the one that hosts the repository, and remove the rest`;
  }
  if (github?.tokenEnv !== undefined && github.app !== undefined) {
    yield `${at}.github has a "tokenEnv" and an "app"; remove one of them`;
  }
  for (const [place, one] of code.entries()) {
    const where = `${at}.code.${place}`;
    if (!isRepository(one.repository)) {
      yield `${where}.repository ${one.repository} ${notRepository('https://github.com/acme/server')}`;
    }
    if (isRepeated(code, place, ({ name }) => name)) {
      yield `${where}.name "${one.name}" is used twice; give each repository its own`;
    }
  }
  for (const place of webhooks.keys()) {
    if (isRepeated(webhooks, place, ({ url }) => url)) {
      yield `${at}.webhooks.${place}.url is listed twice; list all of its "events" in one webhook`;
    }
  }
}

/** A budget that doesn't take effect is worse than none. */
function* inBudgets({ budgets, models, sites, search }: Config): Iterable<string> {
  const known = {
    sites: new Set(sites.map(({ domain }) => domain)),
    organizations: new Set(sites.map(({ organization }) => organization)),
  };
  for (const kind of ['sites', 'organizations'] as const) {
    const names = [...known[kind]].join(', ');
    for (const name of Object.keys(budgets[kind])) {
      if (known[kind].has(name)) continue;
      yield `budgets.${kind}."${name}" isn't one of ${names}; correct its spelling`;
    }
  }
  const { perKey, perSite, perOrganization, keys, organizations } = budgets;
  const own = [keys, budgets.sites, organizations].flatMap(Object.values<Budget>);
  const isInMoney = [perKey, perSite, perOrganization, ...own].some(
    (budget) => budget?.perDay?.dollars ?? budget?.perMonth?.dollars,
  );
  if (!isInMoney) return;
  const enforced = 'so a budget in dollars cannot be enforced; add';
  for (const name of new Set(sites.flatMap(({ model = '', fallback = '' }) => [model, fallback]))) {
    if (!models[name] || models[name].price) continue;
    yield `models.${name} has no "price", ${enforced} { inputPerMillion, outputPerMillion }, 0 where it costs nothing`;
  }
  if (search.embedder && !search.embedder.price) {
    yield `search.embedder has no "price", ${enforced} { inputPerMillion }, 0 where it costs nothing`;
  }
}

function* inDashboard({ server, dashboard, sites, projects }: Config): Iterable<string> {
  const { openId, passwords, port } = dashboard;
  const at = 'dashboard.openId';
  if (port !== undefined && port !== 0 && port === server.port) {
    yield 'dashboard.port is the port of server.port; write another one, or leave it out';
  }
  if (!openId && !passwords) {
    yield `${at} is missing, and dashboard.passwords is false; nobody could sign in`;
  }
  if (!openId) return;
  const { issuer, organization } = openId;
  if (issuer.startsWith('http:') && !isLoopback(new URL(issuer).host)) {
    yield `${at}.issuer needs https, except on this machine`;
  }
  const organizations = [...new Set([...sites, ...projects].map((each) => each.organization))];
  if (organization !== undefined && !organizations.includes(organization)) {
    yield `${at}.organization "${organization}" is not one of the configuration (${organizations.join(', ')})`;
  }
  if (organization === undefined && organizations.length > 1) {
    yield `${at}.organization is missing; write the one where people become members`;
  }
}

/** Whether an item before this one has the same key. */
const isRepeated = <Item>(items: readonly Item[], index: number, keyOf: (item: Item) => unknown) =>
  items.findIndex((one, place) => place < index && keyOf(one) === keyOf(items[index] as Item)) >= 0;

function* unknownModel({ models }: Config, at: string, name: string | undefined): Iterable<string> {
  if (name === undefined || Object.hasOwn(models, name)) return;
  const known = Object.keys(models).join(', ') || 'none so far';
  yield `${at} "${name}" isn't one of "models" (${known}); add it there or remove it`;
}

const isRepository = (place: string) => isAddress(place) || isFolder(place);

const notRepository = (example: string) =>
  `is not a repository on this machine; write an address, such as "${example}", or its path`;

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
