import type { AgentJob } from '@docent/shared/agent';
import type { AgentCommand } from '@docent/shared/agent-commands';
import { pathToFileURL } from 'node:url';
import { repositoryPage } from '../config/repository-address.ts';
import type { ProjectConfig } from '../config/project-config.ts';
import type { Config } from '../config/schema.ts';
import { DocentError } from '../errors.ts';
import type { Database } from '../store/database.ts';
import { type Actor, type Caller } from '../auth/caller.ts';

export type Project = ProjectConfig;

export type Projects = ReturnType<typeof createProjects>;

/** The projects of the configuration, by their id. */
export function createProjects(config: Pick<Config, 'projects'>) {
  const byId = new Map(config.projects.map((project) => [project.id, project]));

  return {
    all: config.projects,

    byId: (id: string): Project | undefined => byId.get(id),

    /** The project of a site. */
    forSite: (domain: string): Project | undefined =>
      config.projects.find((project) => project.site === domain),

    /**
     * The project of a request, if the caller may use it. A project of another organization and one that
     * doesn't exist get the same error.
     */
    forCaller(id: string, caller: Caller): Project {
      const project = byId.get(id);
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

/** How what readers said becomes a job. `compose.ts` hands it from `agent/api/job-from-readers.ts` to the readers' side. */
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

/** Something that readers tell an automation about. */
export interface ReaderFinding {
  key: string;
  /** Our words for the history of the automation, which forgets nothing. */
  text: string;
}

/** What readers tell automations. `compose.ts` hands it from `reader/analytics/jobs` to the agent's half. */
export interface ReaderFindings {
  /** Those that nothing has come of yet, the most important first. */
  find(project: Project, about: 'gaps' | 'ratings'): Promise<ReaderFinding[]>;
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
