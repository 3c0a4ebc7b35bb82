/** Forges over the small servers of Gitea, Forgejo, and GitLab. */
import { rm } from 'node:fs/promises';
import type { FileInput } from '../../tests/support/docs-repository.ts';
import type { ForgeKind } from '../../tests/support/forges/admin.ts';
import { startGiteaServer } from '../../tests/support/forges/gitea-server.ts';
import { startGitLabServer } from '../../tests/support/forges/gitlab-server.ts';
import type {
  ForgeRepository,
  ForgeServer,
  ForgeServerOptions,
} from '../../tests/support/forges/server.ts';
import type { RemoteForgeDeps } from '../src/agent/forge/remote/remote-forge.ts';
import { openRemote, type RemoteSetup } from './remote-forge.ts';
import { quickly } from './github-forge.ts';

export const forgeToken = 'forge_token_CANARY_0000000000000000_tests';

export interface WireSetup extends RemoteSetup {
  server: ForgeServer;
  hosted: ForgeRepository;
}

/** Everything that Docent needs, and what the tests need to make a repository. */
export const allScopes = {
  gitea: ['write:repository', 'write:user', 'write:issue'],
  gitlab: ['api'],
} as const;

export const startWire = (kind: ForgeKind, options: ForgeServerOptions = {}) =>
  kind === 'gitea' ? startGiteaServer(options) : startGitLabServer(options);

export async function openWire(
  kind: ForgeKind,
  files: Record<string, FileInput>,
  options: ForgeServerOptions & { deps?: Partial<RemoteForgeDeps> } = {},
): Promise<WireSetup> {
  const server = await startWire(kind, options);
  server.addToken(forgeToken, { scopes: allScopes[kind], may: 'write' });
  const setup = await openRemote({ kind, url: server.url, token: forgeToken }, files, {
    // People write into the repository itself, which takes less time.
    async docsAt(path) {
      const docs = server.repositories.get(path)?.docs;
      if (!docs) throw new Error(`There is no repository ${path}`);
      if (Object.keys(files).length > 0) await docs.commit(files, 'Begin the docs');
      return docs;
    },
    deps: { timeouts: quickly, ...options.deps },
  });
  const hosted = server.repositories.get(setup.admin.path);
  if (!hosted) throw new Error('The repository is gone');
  return {
    ...setup,
    server,
    hosted,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await hosted.docs[Symbol.asyncDispose]();
      await rm(setup.deps.folder, { recursive: true, force: true });
    },
  };
}
