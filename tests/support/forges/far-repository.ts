/** A repository at a host as people have it: a copy of their own, from which they push. */
import { appendFile, chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type DocsRepository, type FileInput, makeRepository } from '../docs-repository.ts';

export async function openFarRepository(
  { url, token }: { url: string; token: string },
  files: Record<string, FileInput>,
): Promise<DocsRepository> {
  const local = await makeRepository(files);
  const secret = Buffer.from(`oauth2:${token}`).toString('base64');
  const authority = process.env['NODE_EXTRA_CA_CERTS'];
  await chmod(dirname(local.path), 0o700);
  await appendFile(
    join(local.path, 'config'),
    [
      `[http]`,
      `\textraHeader = Authorization: Basic ${secret}`,
      ...(authority ? [`\tsslCAInfo = ${authority}`] : []),
      `[remote "origin"]`,
      `\turl = ${url}.git`,
      '',
    ].join('\n'),
  );
  const pull = () =>
    local.git(
      'fetch',
      '--quiet',
      '--prune',
      '--update-head-ok',
      'origin',
      '+refs/heads/*:refs/heads/*',
    );
  const push = (ref: string) => local.git('push', '--quiet', 'origin', ref);
  if (Object.keys(files).length > 0) await push('+refs/heads/main:refs/heads/main');

  /** Asks the copy once it is up to date. */
  const fresh =
    <Args extends unknown[], Result>(ask: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      await pull();
      return ask(...args);
    };

  return {
    ...local,
    tip: fresh(local.tip),
    branches: fresh(local.branches),
    files: fresh(local.files),
    read: fresh(local.read),
    log: fresh(local.log),
    commit: fresh(async (...args: Parameters<DocsRepository['commit']>) => {
      const made = await local.commit(...args);
      const branch = args[2]?.branch ?? 'main';
      await push(`+refs/heads/${branch}:refs/heads/${branch}`);
      return made;
    }),
    git: fresh(async (...args: string[]) => {
      const said = await local.git(...args);
      const ref = args.find((one) => one.startsWith('refs/heads/'));
      if (args[0] === 'update-ref' && ref !== undefined) {
        await push(args.includes('-d') ? `:${ref}` : `+${ref}:${ref}`);
      }
      return said;
    }),
  };
}
