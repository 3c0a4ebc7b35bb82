import type { AgentJob } from '@docent/shared/agent';
import type { AgentCommand } from '@docent/shared/agent-commands';
import { pathToFileURL } from 'node:url';
import { repositoryPage } from '../config/repository-address.ts';
import type { ProjectConfig } from '../config/project-config.ts';
import type { Environment } from '../config/environment.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { type Actor, type Caller } from '../auth/caller.ts';
import type { Connected } from './connected.ts';

export type Project = ProjectConfig & {
  /** Of a project that isn't in the configuration: what it reaches its host by. */
  connection?: string | undefined;
};

export type Projects = ReturnType<typeof createProjects>;

/** What takes events of a host at one address: a project, or a connection with its projects. */
interface Hook {
  /** Undefined: the credentials can't be read. */
  secret: string | undefined;
  mention: string;
  organization: string;
  /** Of the connection's host. */
  url?: string;
  projects: readonly Project[];
}

/** The projects of the configuration, then those of the dashboard, by their id. The configuration wins. */
export function createProjects({
  config,
  environment,
  connected,
}: {
  config: Pick<Config, 'projects'>;
  environment: Pick<Environment, 'secret'>;
  connected: Connected;
}) {
  const ofFile = new Map(
    config.projects.map((project): [string, Project] => [project.id, project]),
  );

  const all = (): Project[] => [
    ...config.projects,
    ...connected.all().filter(({ id }) => !ofFile.has(id)),
  ];
  const byId = (id: string): Project | undefined =>
    ofFile.get(id) ?? connected.all().find((project) => project.id === id);
  const secret = (name: string) => connected.secret(name) ?? environment.secret(name);

  /** The same, and also what another process connected just now. */
  async function find(id: string): Promise<Project | undefined> {
    const known = byId(id);
    if (known) return known;
    await connected.reload();
    return byId(id);
  }

  return {
    all,
    byId,
    find,
    connected,

    /** The value of a variable of the environment, or of a connection's secret. */
    secret,

    /** The project of a site. */
    forSite: (domain: string): Project | undefined =>
      all().find((project) => project.site === domain),

    /** `id`: of a project or of a connection. */
    async hook(id: string): Promise<Hook | undefined> {
      const project = await find(id);
      const conversation = project?.conversation;
      if (project && conversation) {
        return {
          secret: secret(conversation.secretEnv),
          mention: conversation.mention,
          organization: project.organization,
          projects: [project],
        };
      }
      const row = connected.connection(id);
      if (row?.has_hook !== 1) return undefined;
      const projects = all().filter(({ connection }) => connection === id);
      const { organization, url } = row;
      const secretOf = connected.open(row)?.hook;
      return { secret: secretOf, mention: 'docent', organization, url, projects };
    },

    /**
     * The project of a request, if the caller may use it. A project of another organization and one that
     * doesn't exist get the same error.
     */
    async forCaller(id: string, caller: Caller): Promise<Project> {
      const project = await find(id);
      if (!project || project.organization !== caller.organization) {
        throw new DocentError('not_found', 'There is no project with this id for your key.');
      }
      return project;
    },
  };
}

/** The address of a repository for browsers. A path on this machine becomes `file://…`. */
export function repositoryAddress(repository: string): string {
  return repositoryPage(repository) ?? pathToFileURL(repository).href;
}

/** How what readers said becomes a job. `compose.ts` hands it from `agent/api/job-view.ts` to the readers' side. */
export type CreateJob = (request: {
  project: Project;
  origin: 'feedback' | 'gap';
  by?: Actor | undefined;
  prompt: string;
  /** Takes the place of the prompt, and needs no model. */
  command?: AgentCommand | undefined;
  /** The prefixes of the paths that the job may write. */
  paths?: readonly string[] | undefined;
  isDraft?: boolean | undefined;
  idempotencyKey?: string | undefined;
  /** A job to reuse if it exists. */
  existing?: string | undefined;
  /** Runs in the transaction that writes the prompt, so that what a job quotes is always known. */
  onMade: (tx: Database, jobId: string) => Promise<void>;
}) => Promise<{ job: AgentJob; isReplay: boolean }>;

/** Jobs whose pull request was merged. The agent's half of the service tells the reader's, in the same transaction. */
export interface MergedJobs {
  project: string;
  number: number;
  /** The branch that it was merged into. */
  base: string | undefined;
  at: string;
  jobIds: readonly string[];
}

/** The files of one state of a repository. */
interface Files {
  paths(): Iterable<string>;
  has(path: string): boolean;
  read(paths: readonly string[], signal?: AbortSignal): Promise<Map<string, Buffer>>;
}

/** What a change does to readers' questions. Their words aren't here: whoever may read them follows the address. */
export interface QuestionChanges {
  asked: number;
  gained: { url: string }[];
  /** `pages` had the answer. */
  lost: { url: string; pages: string[] }[];
}

/** `undefined`: nothing is known. The agent's half of the service gets it from the reader's. */
export type AffectedQuestions = (request: {
  project: Project;
  jobId: string;
  before: Files;
  after: Files;
  /** Paths of files. */
  changed: readonly string[];
  signal: AbortSignal;
}) => Promise<QuestionChanges | undefined>;

/** Something that an automation looks into. */
export interface AutomationFinding {
  key: string;
  /** Our words for the history of the automation, which forgets nothing. */
  text: string;
}

/** What readers tell automations. `compose.ts` hands it from `reader/analytics/jobs` to the agent's half. */
export interface ReaderFindings {
  /** Those that nothing has come of yet, the most important first. */
  find(project: Project, about: 'gaps' | 'ratings'): Promise<AutomationFinding[]>;
  /** What to tell a job about them, and what to write in the transaction that tells it. */
  toTask(
    project: Project,
    about: 'gaps' | 'ratings',
    keys: readonly string[],
    instruction: string,
  ): Promise<{ prompt: string; onMade: (tx: Database, jobId: string) => Promise<void> }>;
}

/** Removes a reader's words from an agent job. The reader's half of the service gets it from the agent's. */
export type ForgetWords = (tx: Database, jobId: string, texts: readonly string[]) => Promise<void>;
