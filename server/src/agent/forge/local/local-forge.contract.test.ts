/** The local forge keeps what all forges promise. */
import { makeRepository } from '../../../../../tests/support/docs-repository.ts';
import { eachDatabase } from '../../../../testing/each-database.ts';
import { forgeContract, pullRequestContract } from '../../../../testing/forge.contract.ts';
import type { ForgeSetup } from '../../../../testing/forge-fixture.ts';
import type { CommitAuthor } from '../write-commit.ts';
import { createLocalForge } from './local-forge.ts';

eachDatabase((openNew, engine) => {
  // Only pull requests are rows; the rest is the repository alone.
  const contract = engine === 'sqlite' ? forgeContract : pullRequestContract;
  contract('local', async (files): Promise<ForgeSetup> => {
    const docs = await makeRepository(files);
    const { database } = await openNew();
    const open = (commitAuthor?: CommitAuthor) =>
      createLocalForge({
        database,
        now: () => new Date(),
        project: 'docs',
        path: docs.path,
        commitAuthor,
        pullUrl: (number) => `http://127.0.0.1/projects/docs/pulls/${number}`,
      });
    const forge = open();
    return {
      forge,
      reopen: open,
      docs,
      async merge(number, { deleteBranch } = {}) {
        await forge.updatePullRequest(number, { isDraft: false });
        const pull = await forge.readPullRequest(number);
        const merged = await forge.merge(number, pull?.head.commit ?? '');
        if (merged !== 'merged') throw new Error(`Not merged: ${merged}`);
        if (deleteBranch) await docs.git('update-ref', '-d', `refs/heads/${pull?.head.branch}`);
      },
      close: (number) => forge.close(number),
      makeDefault: (branch) => docs.git('symbolic-ref', 'HEAD', `refs/heads/${branch}`),
      [Symbol.asyncDispose]: () => docs[Symbol.asyncDispose](),
    };
  });
});
