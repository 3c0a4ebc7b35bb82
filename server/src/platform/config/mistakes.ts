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
export function findMistakes(
  config: Config,
  environment: Checked,
  { isCommand = false }: Checks,
): string[] {
  const { agent, sites, projects, models } = config;
  const mistakes: string[] = [];
  const say: Say = (isWrong, mistake) => void (isWrong && mistakes.push(mistake));
  sites.forEach((site, index) => inSite(config, site, index, say));
  budgetsIn(config, say);
  for (const [name, key] of Object.entries(agent.models)) {
    say(isUnknown(config, key), unknownModel(config, `agent.models.${name}`, key));
  }
  const { archiveAfterDays: archive, deleteAfterDays: last } = agent;
  say(
    last !== 'never' && last < archive,
    `agent.deleteAfterDays is ${last}, less than "archiveAfterDays" (${archive}); jobs are archived before they are deleted: write ${archive} or more, or "never"`,
  );
  projects.forEach((project, index) => inProject(config, project, index, say));
  inDashboard(config, say);
  for (const [name, model] of Object.entries(models)) {
    // A command that asks the model says so when it loads the package.
    if (isCommand || model.provider !== 'ai-sdk') continue;
    say(findPackage(model.package, model.folder) === undefined, notInstalled(name, model));
  }
  return [...mistakes, ...missingVariables(config, environment)];
}

type Say = (isWrong: boolean, mistake: string) => void;

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

function inSite(config: Config, site: Site, index: number, say: Say): void {
  const at = `sites.${index}`;
  const { domain, docs, feedback, handOver, model, fallback } = site;
  say(
    config.sites.findIndex((other) => other.domain === domain) < index,
    `${at}.domain "${domain}" is used twice; give each site its own`,
  );
  for (const setting of ['model', 'fallback'] as const) {
    const name = site[setting];
    say(isUnknown(config, name), unknownModel(config, `${at}.${setting}`, name));
  }
  say(
    fallback !== undefined && (model ?? fallback) === fallback,
    `${at}.fallback needs another "model" to stand in for; name one, or remove it`,
  );
  say(
    site.rewriteFollowUps && model === undefined,
    `${at}.rewriteFollowUps needs a model; name one with "model", or remove it`,
  );
  const notFolder = 'is not a folder; write the one that holds the Markdown files';
  say(
    docs.folder !== undefined && !isFolder(docs.folder),
    `${at}.docs.folder ${docs.folder} ${notFolder}`,
  );
  for (const [place, source] of docs.sources.entries()) {
    const where = `${at}.docs.sources.${place}`;
    if (source.type === 'folder') {
      say(!isFolder(source.folder), `${where}.folder ${source.folder} ${notFolder}`);
    } else if (source.type === 'git') {
      say(
        !isRepository(source.url),
        `${where}.url ${source.url} is not a repository on this machine; write an address, such as "https://github.com/acme/docs.git", or its path`,
      );
    } else if (source.type === 'openapi') {
      const { document } = source;
      say(
        !isAddress(document) && !existsSync(document),
        `${where}.document ${document} does not exist; write a file or address`,
      );
    }
  }
  // Commands can't act on what readers write.
  if (feedback.createJobs !== 'never') {
    const needs = `${at}.feedback.createJobs needs`;
    const project = config.projects.find((each) => each.site === domain);
    say(!project, `${needs} a project of this site; add one to "projects" with site: "${domain}"`);
    say(
      project !== undefined && project.repository === undefined,
      `${needs} the repository of the project "${project?.id}"; set its "repository"`,
    );
    say(
      project !== undefined && project.model === undefined,
      `${needs} a language model that understands what readers write; set "model" of the project "${project?.id}"`,
    );
  }
  say(
    handOver?.email !== undefined && !config.email,
    `${at}.handOver.email needs a mail server; add "email" with its "host" and "from"`,
  );
}

function inProject(config: Config, project: Project, index: number, say: Say): void {
  const at = `projects.${index}`;
  const { id, organization, repository, code, webhooks, github, gitea, gitlab } = project;
  const before = config.projects.slice(0, index);
  say(isUnknown(config, project.model), unknownModel(config, `${at}.model`, project.model));
  say(
    before.some((other) => other.id === id),
    `${at}.id "${id}" is used twice; give each project its own`,
  );
  if (project.site !== undefined) {
    const where = `${at}.site "${project.site}"`;
    const site = config.sites.find(({ domain }) => domain === project.site);
    const domains = config.sites.map(({ domain }) => domain).join(', ');
    say(!site, `${where} isn't one of "sites" (${domains}); write the domain of one of them`);
    say(
      site !== undefined && site.organization !== organization,
      `${where} belongs to the organization "${site?.organization}", the project to "${organization}"; they must be the same`,
    );
    say(
      before.some((other) => other.site === project.site),
      `${where} already has a project; a site can have only one`,
    );
  }
  if (repository !== undefined && isAddress(repository)) {
    const read = readProjectAddress({ ...project, repository });
    if ('mistake' in read) say(true, `${at}.repository ${read.mistake}`);
  } else if (repository !== undefined) {
    const { labels, reviewers } = project.pullRequest;
    say(
      labels.length + reviewers.length > 0,
      `${at}.pullRequest needs a host: pull requests of a repository on this machine have no labels and no reviewers; remove it`,
    );
    say(
      !isFolder(repository),
      `${at}.repository ${repository} is not a repository on this machine; write an address, such as "https://github.com/acme/docs", or the path of a bare repository`,
    );
  }
  const named = Object.entries({ github, gitea, gitlab }).flatMap(([forge, access]) =>
    access === undefined ? [] : [`"${forge}"`],
  );
  say(
    named.length > 1,
    `${at} has ${named.join(' and ')}; keep the one that hosts the repository, and remove the rest`,
  );
  say(
    github?.tokenEnv !== undefined && github.app !== undefined,
    `${at}.github has a "tokenEnv" and an "app"; remove one of them`,
  );
  for (const [place, one] of code.entries()) {
    const where = `${at}.code.${place}`;
    say(
      !isRepository(one.repository),
      `${where}.repository ${one.repository} is not a repository on this machine; write an address, such as "https://github.com/acme/server", or its path`,
    );
    say(
      code.findIndex(({ name }) => name === one.name) < place,
      `${where}.name "${one.name}" is used twice; give each repository its own`,
    );
  }
  for (const [place, { url }] of webhooks.entries()) {
    say(
      webhooks.findIndex((other) => other.url === url) < place,
      `${at}.webhooks.${place}.url is listed twice; list all of its "events" in one webhook`,
    );
  }
}

/** A budget that doesn't take effect is worse than none. */
function budgetsIn({ budgets, models, sites, search }: Config, say: Say): void {
  const known = {
    sites: new Set(sites.map(({ domain }) => domain)),
    organizations: new Set(sites.map(({ organization }) => organization)),
  };
  for (const kind of ['sites', 'organizations'] as const) {
    const names = [...known[kind]].join(', ');
    for (const name of Object.keys(budgets[kind])) {
      const where = `budgets.${kind}."${name}"`;
      say(!known[kind].has(name), `${where} isn't one of ${names}; correct its spelling`);
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
    say(
      models[name] !== undefined && !models[name].price,
      `models.${name} has no "price", ${enforced} { inputPerMillion, outputPerMillion }, 0 where it costs nothing`,
    );
  }
  say(
    search.embedder !== undefined && !search.embedder.price,
    `search.embedder has no "price", ${enforced} { inputPerMillion }, 0 where it costs nothing`,
  );
}

function inDashboard({ server, dashboard, sites, projects }: Config, say: Say): void {
  const { openId, passwords, port } = dashboard;
  const at = 'dashboard.openId';
  say(
    port !== undefined && port !== 0 && port === server.port,
    'dashboard.port is the port of server.port; write another one, or leave it out',
  );
  say(
    !openId && !passwords,
    `${at} is missing, and dashboard.passwords is false; nobody could sign in`,
  );
  if (!openId) return;
  const { issuer, organization } = openId;
  say(
    issuer.startsWith('http:') && !isLoopback(new URL(issuer).host),
    `${at}.issuer needs https, except on this machine`,
  );
  const organizations = [...new Set([...sites, ...projects].map((each) => each.organization))];
  say(
    organization !== undefined && !organizations.includes(organization),
    `${at}.organization "${organization}" is not one of the configuration (${organizations.join(', ')})`,
  );
  say(
    organization === undefined && organizations.length > 1,
    `${at}.organization is missing; write the one where people become members`,
  );
}

const isUnknown = ({ models }: Config, name: string | undefined) =>
  name !== undefined && !Object.hasOwn(models, name);

function unknownModel({ models }: Config, at: string, name: string | undefined): string {
  const known = Object.keys(models).join(', ') || 'none so far';
  return `${at} "${name}" isn't one of "models" (${known}); add it there or remove it`;
}

const isRepository = (place: string) => isAddress(place) || isFolder(place);

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
