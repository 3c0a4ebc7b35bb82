/** What sites show the hosts of their repositories. */
import { forgeOf } from '../../platform/tenants/connected.ts';
import type { Projects } from '../../platform/tenants/projects.ts';
import { inWords } from './in-words.ts';
import { github } from '../forge/github/github.ts';
import { openHost } from '../forge/remote/remote-forge.ts';

/** By the name that the site has for it: a variable, or the credential of a connection, which may be an App's key. */
export function createSourceTokens(deps: {
  projects: Pick<Projects, 'connected' | 'secret'>;
  now: () => Date;
}) {
  const { secret, connected } = deps.projects;

  async function read(name: string, repository: string) {
    const host = connected.named(name);
    if (!host || host.app_id === null) return secret(name);
    const project = { id: host.id, ...forgeOf(host) };
    return openHost({ ...deps, secret, project, repository }, github).access.token();
  }

  return (name: string, repository: string) => inWords(read(name, repository));
}
