/** Where the docs of a project are, and what people do there while agents work: push, merge, close. */
import { join } from 'node:path';
import { type DocsRepository, makeRepository } from '../../support/docs-repository.ts';
import type { GitHubServer } from '../../support/github-server.ts';
import type { Rows } from './rows.ts';

interface HostPull {
  number: number;
  branch: string;
  state: 'open' | 'merged' | 'closed';
}

export interface Host {
  project: string;
  config: object;
  docs: DocsRepository;
  pulls: () => Promise<HostPull[]>;
  merge: (number: number) => Promise<unknown>;
  close: (number: number) => Promise<unknown>;
}

const files = { 'docs/index.md': '# Home\n', 'docs/usage.md': '# Usage\n' };

export async function gitHubHost(github: GitHubServer, project: string): Promise<Host> {
  const hosted = await github.addRepository(`chaos/${project}`, files);
  return {
    project,
    config: { repository: github.repositoryUrl(hosted.name), github: { tokenEnv: 'DOCS_TOKEN' } },
    docs: hosted.docs,
    pulls: () =>
      Promise.resolve(
        hosted.pulls.map(({ number, branch, state, isMerged }) => ({
          number,
          branch,
          state: isMerged ? 'merged' : state,
        })),
      ),
    merge: (number) => hosted.merge(number),
    close: (number) => Promise.resolve(hosted.close(number)),
  };
}

/** `act` presses a button on the page of a pull request. */
export async function localHost(
  folder: string,
  project: string,
  rows: Rows,
  act: (host: Host, number: number, action: 'merge' | 'close') => Promise<unknown>,
): Promise<Host> {
  const docs = await makeRepository(files, { path: join(folder, `${project}.git`) });
  const host: Host = {
    project,
    config: { repository: docs.path },
    docs,
    pulls: () =>
      rows<HostPull>(
        `select number, branch, state from local_pulls where project = '${project}' order by number`,
      ),
    merge: (number) => act(host, number, 'merge'),
    close: (number) => act(host, number, 'close'),
  };
  return host;
}

/** A person pushes to a branch as git does: not over what came meanwhile. */
export async function pushByHand(
  { docs }: Host,
  branch: string,
  name: string,
): Promise<string | undefined> {
  const tip = await docs.tip(branch);
  if (tip === undefined) return undefined;
  const own = `by-hand-${name}`;
  await docs.git('update-ref', `refs/heads/${own}`, tip);
  const commit = await docs.commit(
    { [`docs/people/${name}.md`]: `# ${name}\n` },
    `By hand ${name}`,
    {
      branch: own,
    },
  );
  const pushed = docs.git('update-ref', `refs/heads/${branch}`, commit, tip);
  const isPushed = await pushed.then(
    () => true,
    () => false,
  );
  await docs.git('update-ref', '-d', `refs/heads/${own}`);
  return isPushed ? commit : undefined;
}
