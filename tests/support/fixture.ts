import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocentConfig } from '@docent/server/docent';
import { runCli, writeConfig } from './cli.ts';

export const fixtureDocs = fileURLToPath(new URL('fixture-docs', import.meta.url));

export type SiteInput = DocentConfig['sites'][number];

export const kestrel: SiteInput = {
  domain: 'kestrel-docs',
  organization: 'kestrel',
  name: 'Kestrel',
  docs: { folder: fixtureDocs, baseUrl: 'https://docs.kestrel.example' },
  allowedOrigins: ['https://docs.kestrel.example', 'https://*.preview.kestrel.example'],
  starterQuestions: ['How do I install Kestrel?'],
};

/** A second site of the same organization, and one of another. */
export const kestrelBlog: SiteInput = { ...kestrel, domain: 'kestrel-blog', name: 'Kestrel Blog' };
export const osprey: SiteInput = {
  ...kestrel,
  domain: 'osprey-docs',
  organization: 'osprey',
  name: 'Osprey',
};

/** A folder of its own for one test, removed when the test gives it back. */
export async function temporaryFolder(): Promise<{
  path: string;
  [Symbol.asyncDispose](): Promise<void>;
}> {
  const path = await mkdtemp(join(tmpdir(), 'docent-test-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 5 }),
  };
}

let indexed: Promise<string> | undefined;

/**
 * Puts an index of the fixture into a data folder. It is made once in a test file, by the command that
 * an admin uses, and then copied.
 */
export async function putIndex(dataFolder: string): Promise<void> {
  indexed ??= makeIndex();
  await cp(join(await indexed, 'index'), join(dataFolder, 'index'), { recursive: true });
}

async function makeIndex(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-test-index-'));
  process.once('exit', () => void rm(folder, { recursive: true, force: true }));
  const config = await writeConfig(folder, {
    server: { dataFolder: folder },
    sites: [kestrel, kestrelBlog, osprey],
  });
  const run = await runCli(['index', '--config', config]);
  if (run.code !== 0) throw new Error(`docent index failed: ${run.stderr}`);
  return folder;
}
