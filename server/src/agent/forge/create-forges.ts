import { isAddress } from '../../platform/config/repository-address.ts';
import type { Config } from '../../platform/config/schema.ts';
import { JobError } from '../../platform/errors.ts';
import type { Project, Projects } from '../../platform/tenants/projects.ts';
import type { Database } from '../../platform/store/database.ts';
import { repositoriesFolder } from '../../platform/store/data-folder.ts';
import type { Forge } from './forge.ts';
import { gitea } from './gitea/gitea.ts';
import { github } from './github/github.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { createLocalForge, type LocalForge } from './local/local-forge.ts';
import type { LocalPull } from './local/pulls.ts';
import { createRemoteForge } from './remote/remote-forge.ts';
import type { RemoteTimeouts } from './remote/exchange.ts';

export interface ForgesDeps {
  config: Pick<Config, 'server'>;
  projects: Pick<Projects, 'secret'>;
  database: Database;
  now: () => Date;
  /** The address of the page of a local pull request. */
  pullUrl: (project: string, number: number) => string;
  /** Called after a merge on such a page. */
  onMerged?: ((project: string, pull: LocalPull) => void) | undefined;
  /** Tests shorten them. */
  timeouts?: Partial<RemoteTimeouts> | undefined;
}

export type Forges = ReturnType<typeof createForges>;

export const kinds = { github, gitea, gitlab };

/** The forge of each project, made at first use. */
export function createForges(deps: ForgesDeps) {
  const { database, now, projects, timeouts, pullUrl, onMerged } = deps;
  const { dataFolder } = deps.config.server;
  // Beside the copies that the indexer keeps: a repository that is both is one copy.
  const folder = repositoriesFolder(dataFolder);
  const remote = new Map<string, Forge>();
  const local = new Map<string, LocalForge>();

  function localForge({ id, repository, commitAuthor }: Project): LocalForge | undefined {
    if (repository === undefined || isAddress(repository)) return undefined;
    return kept(local, id, () =>
      createLocalForge({
        database,
        now,
        project: id,
        path: repository,
        commitAuthor,
        pullUrl: (number) => pullUrl(id, number),
        onMerged: onMerged && ((pull) => onMerged(id, pull)),
      }),
    );
  }

  function createHosted(project: Project, repository: string, secret = projects.secret): Forge {
    const deps = { project, repository, secret, folder, now, timeouts };
    const kind = kinds[project.gitea ? 'gitea' : project.gitlab ? 'gitlab' : 'github'];
    return createRemoteForge(deps, kind);
  }

  return {
    /** Throws if the project has no repository, or an unusable one. */
    forProject(project: Project): Forge {
      const { id, repository } = project;
      if (repository === undefined) {
        throw new JobError(
          'forge_not_configured',
          `The project “${id}” has no “repository”; set it in the configuration.`,
        );
      }
      return (
        localForge(project) ??
        // In the dashboard, the same name may get another repository.
        kept(remote, `${id} ${project.connection ?? ''} ${repository}`, () =>
          createHosted(project, repository),
        )
      );
    },

    /** The forge of a repository on this machine; `undefined`: another host has the project's repository. */
    localForge,

    /** The forge of a project that isn't kept yet, with a credential that isn't either. */
    trial: (project: Project, secret: string): Forge =>
      createHosted(project, project.repository ?? '', () => secret),
  };
}

function kept<T>(known: Map<string, T>, id: string, make: () => T): T {
  const found = known.get(id) ?? make();
  known.set(id, found);
  return found;
}
