import type { ProjectConfig } from '../config/project-config.ts';
import { JobError } from '../errors.ts';
import type { Forge } from './forge.ts';

export type Forges = ReturnType<typeof createForges>;

/** The forge of each project, made when it is first asked for. */
export function createForges(makers: {
  github: (project: ProjectConfig, repository: string) => Forge;
  local: (project: ProjectConfig, repository: string) => Forge;
}) {
  const forges = new Map<string, Forge>();

  return {
    forProject(project: ProjectConfig): Forge {
      const known = forges.get(project.id);
      if (known !== undefined) return known;
      const { repository } = project;
      if (repository === undefined) {
        throw new JobError(
          'forge_not_configured',
          `The project “${project.id}” has no “repository”; set it in the configuration.`,
        );
      }
      const make = isPath(repository) ? makers.local : makers.github;
      const forge = make(project, repository);
      forges.set(project.id, forge);
      return forge;
    },
  };
}

/** The configuration has made paths absolute. */
function isPath(repository: string): boolean {
  return !/^([a-z][a-z0-9+.-]*:\/\/|[\w.-]+@[\w.-]+:)/i.test(repository);
}
