import type { Command } from 'commander';
import type { BaseServices } from '../open-services.ts';
import { DocentError } from '../platform/errors.ts';
import { configOption, withServices } from './command.ts';

/** `docent projects check`: whether agent jobs could work, before the first one is created. */
export function addProjectCommands(program: Command): void {
  const projects = program.command('projects').description('projects that agent jobs work on');

  projects
    .command('check [id]')
    .description('check that Docent can read and write the repositories of one project, or of all')
    .addOption(configOption())
    .action((id: string | undefined, { config }: { config?: string }) =>
      withServices(config, (services) => checkProjects(services, id)),
    );
}

async function checkProjects(services: BaseServices, id: string | undefined): Promise<void> {
  const projects = services.projects.all();
  const wanted = projects.filter((project) => id === undefined || project.id === id);
  if (wanted.length === 0) {
    const known = projects.map((project) => project.id).join(', ') || 'none';
    throw new DocentError(
      'not_found',
      id === undefined
        ? 'There are no projects; write one into "projects" of the configuration.'
        : `There is no project "${id}"; there are: ${known}.`,
    );
  }
  const [{ createForges }, { checkProject }] = await Promise.all([
    import('../agent/forge/create-forges.ts'),
    import('../agent/forge/check-project.ts'),
  ]);
  const forges = createForges({ ...services, pullUrl: () => '' });
  for (const project of wanted) {
    console.log(project.id);
    const checks = checkProject(project, (one) => forges.forProject(one));
    for await (const { passed, says, remedy } of checks) {
      console.log(`  ${passed ? 'ok  ' : 'FAIL'}  ${says}${passed ? '' : `\n        ${remedy}`}`);
      // Scripts see by the code that something is missing.
      if (!passed) process.exitCode = 1;
    }
  }
}
