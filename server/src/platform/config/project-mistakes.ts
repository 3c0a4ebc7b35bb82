import { statSync } from 'node:fs';
import type { Environment } from './environment.ts';
import { missingSecret } from './fields.ts';
import { isAddress, readProjectAddress } from './repository-address.ts';
import type { Config } from './schema.ts';

/** Projects that share something that must be unique, and unknown names and missing secrets. */
export function projectMistakes(
  config: Pick<Config, 'projects' | 'sites' | 'models' | 'agent'>,
  environment: Pick<Environment, 'needs'>,
): string[] {
  const { projects, sites, agent } = config;
  return [
    ...projects.flatMap((project, index) => {
      const at = `projects.${index}`;
      const before = projects.slice(0, index);
      const site = sites.find(({ domain }) => domain === project.site);
      const mistakes: string[] = unknownModel(config, `${at}.model`, project.model);
      if (before.some(({ id }) => id === project.id)) {
        mistakes.push(`${at}.id "${project.id}" is used twice; give each project its own`);
      }
      if (project.site !== undefined && site === undefined) {
        const domains = sites.map(({ domain }) => domain).join(', ');
        mistakes.push(
          `${at}.site "${project.site}" isn't one of "sites" (${domains}); write the domain of one of them`,
        );
      }
      if (site !== undefined && site.organization !== project.organization) {
        mistakes.push(
          `${at}.site "${site.domain}" belongs to the organization "${site.organization}", the project to "${project.organization}"; they must be the same`,
        );
      }
      if (project.site !== undefined && before.some((other) => other.site === project.site)) {
        mistakes.push(
          `${at}.site "${project.site}" already has a project; a site can have only one`,
        );
      }
      return [...mistakes, ...repositoryMistakes(project, at), ...secretMistakes(project, at)];
    }),
    ...keepingMistakes(agent),
    ...unknownModel(config, 'agent.models.sonnet', agent.models.sonnet),
    ...unknownModel(config, 'agent.models.opus', agent.models.opus),
  ];

  function secretMistakes(
    { github, gitea, gitlab, conversation, code }: Config['projects'][number],
    at: string,
  ): string[] {
    const mistakes: string[] = [];
    const named = Object.entries({ github, gitea, gitlab }).flatMap(([forge, access]) =>
      access === undefined ? [] : [`"${forge}"`],
    );
    if (named.length > 1) {
      mistakes.push(
        `${at} has ${named.join(' and ')}; keep the one that hosts the repository, and remove the rest`,
      );
    }
    if (github?.tokenEnv !== undefined && github.app !== undefined) {
      mistakes.push(`${at}.github has a "tokenEnv" and an "app"; remove one of them`);
    }
    const variables = [
      ['github', github?.tokenEnv, 'a token that may write contents and pull requests'],
      ['github', github?.app?.privateKeyEnv, 'the private key of the App'],
      ['gitea', gitea?.tokenEnv, 'a token with the scopes write:repository and read:user'],
      ['gitlab', gitlab?.tokenEnv, 'a token with the scope api'],
    ] as const;
    const missing = variables.flatMap(([forge, variable, what]) =>
      missingSecret(environment, `${at}.${forge}`, variable, what),
    );
    for (const [index, { name, repository, tokenEnv }] of code.entries()) {
      const where = `${at}.code.${index}`;
      if (!isAddress(repository) && !isFolder(repository)) {
        mistakes.push(
          `${where}.repository ${repository} is not a repository on this machine; write an address, such as "https://github.com/acme/server", or its path`,
        );
      }
      if (code.findIndex((one) => one.name === name) < index) {
        mistakes.push(`${where}.name "${name}" is used twice; give each repository its own`);
      }
      missing.push(...missingSecret(environment, where, tokenEnv, 'a token that may read it'));
    }
    return [
      ...mistakes,
      ...missing,
      ...missingSecret(
        environment,
        `${at}.conversation`,
        conversation?.secretEnv,
        'the secret of the host’s webhook',
      ),
    ];
  }
}

/** The mistake of naming a model that the configuration doesn't have. */
export function unknownModel(
  { models }: Pick<Config, 'models'>,
  at: string,
  name: string | undefined,
): string[] {
  if (name === undefined || Object.hasOwn(models, name)) return [];
  const known = Object.keys(models).join(', ') || 'none so far';
  return [`${at} "${name}" isn't one of "models" (${known}); add it there or remove it`];
}

function keepingMistakes({ archiveAfterDays, deleteAfterDays }: Config['agent']): string[] {
  if (deleteAfterDays === 'never' || deleteAfterDays >= archiveAfterDays) return [];
  return [
    `agent.deleteAfterDays is ${deleteAfterDays}, less than "archiveAfterDays" (${archiveAfterDays}); jobs are archived before they are deleted: write ${archiveAfterDays} or more, or "never"`,
  ];
}

function repositoryMistakes(project: Config['projects'][number], at: string): string[] {
  const { repository } = project;
  if (repository === undefined) return [];
  if (isAddress(repository)) {
    const read = readProjectAddress({ ...project, repository });
    return 'mistake' in read ? [`${at}.repository ${read.mistake}`] : [];
  }
  return isFolder(repository)
    ? []
    : [
        `${at}.repository ${repository} is not a repository on this machine; write an address, such as "https://github.com/acme/docs", or the path of a bare repository`,
      ];
}

const isFolder = (path: string) =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
