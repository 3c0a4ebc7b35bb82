/** A forge over a repository at Gitea, Forgejo, or GitLab: a small server of the tests', or a real one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocsRepository, FileInput } from '../../tests/support/docs-repository.ts';
import {
  type AdminOfRepository,
  createRepository,
  type HostAddress,
} from '../../tests/support/forges/admin.ts';
import type { JobPlace } from '../../tests/support/forges/jobs.ts';
import { openFarRepository } from '../../tests/support/forges/far-repository.ts';
import { waitFor } from '../../tests/support/wait-for.ts';
import { gitea } from '../src/agent/forge/gitea/gitea.ts';
import { gitlab } from '../src/agent/forge/gitlab/gitlab.ts';
import { createRemoteForge, type RemoteForgeDeps } from '../src/agent/forge/remote/remote-forge.ts';
import type { CommitAuthor } from '../src/agent/forge/write-commit.ts';
import type { ForgeSetup } from './forge-fixture.ts';

export const kinds = { gitea, gitlab };

export interface RemoteSetup extends ForgeSetup {
  admin: AdminOfRepository;
  deps: RemoteForgeDeps;
}

/** How a project names its host. */
export const accessOf = ({ kind, url }: HostAddress) =>
  kind === 'gitea'
    ? { gitea: { tokenEnv: 'DOCS_TOKEN' } }
    : { gitlab: { tokenEnv: 'DOCS_TOKEN', url } };

export async function openRemote(
  host: HostAddress,
  files: Record<string, FileInput>,
  options: {
    /** The repository itself, where it is on this machine. */
    docsAt?: (path: string) => Promise<DocsRepository>;
    deps?: Partial<RemoteForgeDeps>;
  } = {},
): Promise<RemoteSetup> {
  const admin = await createRepository(host);
  const folder = await mkdtemp(join(tmpdir(), 'docent-forge-'));
  const docs =
    (await options.docsAt?.(admin.path)) ??
    (await openFarRepository({ url: admin.url, token: host.token }, files));
  const deps: RemoteForgeDeps = {
    project: { id: 'docs', ...accessOf(host) },
    now: () => new Date(),
    repository: admin.url,
    secret: () => host.token,
    folder,
    ...options.deps,
  };
  const open = (commitAuthor?: CommitAuthor) =>
    createRemoteForge({ ...deps, project: { ...deps.project, commitAuthor } }, kinds[host.kind]);
  const forge = open();
  // Forgejo knows of a branch a moment after it was pushed.
  if (!options.docsAt && Object.keys(files).length > 0) {
    await waitFor('the host to know its branch', () =>
      forge.tip('main').then(
        (tip) => tip !== undefined,
        () => false,
      ),
    );
  }
  return {
    admin,
    deps,
    docs,
    forge,
    reopen: open,
    merge: (number, how) => admin.merge(number, how),
    close: (number) => admin.close(number),
    makeDefault: (branch) => admin.makeDefault(branch),
    async [Symbol.asyncDispose]() {
      await admin.remove();
      await docs[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What whole jobs need of it. */
export const jobPlaceOf = (setup: ForgeSetup, project: object, token: string): JobPlace => ({
  project,
  token,
  docs: setup.docs,
  merge: (number, how) => setup.merge(number, how),
  close: (number) => setup.close(number),
  readPull: (number) => setup.forge.readPullRequest(number),
  [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
});
