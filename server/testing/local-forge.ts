/** A local forge over a bare repository of the tests'. */
import { type FileInput, makeRepository } from '../../tests/support/docs-repository.ts';
import { quiet } from './each-database.ts';
import { openStore } from '../src/open-store.ts';
import type { ForgeSetup } from './forge-fixture.ts';
import type { CommitAuthor } from '../src/agent/forge/write-commit.ts';
import { createLocalForge } from '../src/agent/forge/local/local-forge.ts';

export async function openLocal(files: Record<string, FileInput>): Promise<ForgeSetup> {
  const docs = await makeRepository(files);
  const store = await openStore({ dataFolder: ':memory:', databaseUrl: undefined, log: quiet });
  const open = (commitAuthor?: CommitAuthor) =>
    createLocalForge({
      database: store.database,
      now: () => new Date(),
      project: 'acme-docs',
      path: docs.path,
      commitAuthor,
      pullUrl: (number) => `http://docent.test/pull/${number}`,
    });
  const forge = open();
  return {
    forge,
    reopen: open,
    docs,
    async merge(number, { deleteBranch = false } = {}) {
      const pull = await forge.readPullRequest(number);
      if (!pull) throw new Error(`There is no pull request ${number}`);
      await forge.merge(number, pull.head.commit);
      if (deleteBranch) await docs.git('update-ref', '-d', `refs/heads/${pull.head.branch}`);
    },
    close: (number) => forge.close(number),
    makeDefault: (branch) => docs.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`),
    async [Symbol.asyncDispose]() {
      await store.close();
      await docs[Symbol.asyncDispose]();
    },
  };
}
