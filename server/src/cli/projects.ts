import type { Command, Option } from 'commander';
import { loadConfig } from '../platform/config/load.ts';
import { DocentError } from '../platform/errors.ts';

/**
 * `docent projects check`: whether agent jobs could work, before the first one is created.
 * `docent projects withdraw-addresses`: for when the address of a page got to somebody who must not have it.
 */
export function addProjectCommands(program: Command, configOption: () => Option): void {
  const projects = program.command('projects').description('projects that agent jobs work on');

  projects
    .command('check [id]')
    .description('see that the repository of one project, or of all, can be read and written')
    .addOption(configOption())
    .action(async (id: string | undefined, { config }: { config?: string }) => {
      const loaded = await loadConfig(config);
      const [{ openServices }, { createForges }, { checkProject }] = await Promise.all([
        import('../open-services.ts'),
        import('../agent/forge/create-forges.ts'),
        import('../agent/forge/check-project.ts'),
      ]);
      const wanted = loaded.config.projects.filter(
        (project) => id === undefined || project.id === id,
      );
      if (wanted.length === 0) {
        const known = loaded.config.projects.map((project) => project.id).join(', ') || 'none';
        throw new DocentError(
          'not_found',
          id === undefined
            ? 'The configuration has no projects; write one into "projects".'
            : `There is no project "${id}"; the configuration has: ${known}.`,
        );
      }
      const services = await openServices(loaded);
      try {
        const forges = createForges({ ...services, pullUrl: () => '' });
        for (const project of wanted) {
          console.log(project.id);
          for await (const { passed, says, remedy } of checkProject(project, (one) =>
            forges.forProject(one),
          )) {
            console.log(
              `  ${passed ? 'ok  ' : 'FAIL'}  ${says}${passed ? '' : `\n        ${remedy}`}`,
            );
            // Scripts see by the code that something is missing.
            if (!passed) process.exitCode = 1;
          }
        }
      } finally {
        await services.close();
      }
    });

  projects
    .command('withdraw-addresses')
    .description('make every address of a page of projects, jobs and pull requests open nothing')
    .addOption(configOption())
    .action(async ({ config }: { config?: string }) => {
      const loaded = await loadConfig(config);
      const [{ openServices }, { withdrawPageLinks }] = await Promise.all([
        import('../open-services.ts'),
        import('../platform/tenants/page-links.ts'),
      ]);
      const services = await openServices(loaded);
      try {
        await withdrawPageLinks(services.database);
        console.log('Done. Enter an admin key on a page, or read a job, to get its new address.');
      } finally {
        await services.close();
      }
    });
}
