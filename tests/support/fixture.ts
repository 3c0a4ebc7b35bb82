import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkConfig, type DocentConfig, indexSite, openServices } from '@docent/server/docent';

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

type Files = { path: string; bytes: Buffer }[];

let indexed: Promise<Files> | undefined;

/** Puts an index of the fixture into a data folder. It is made once in a test file, and then copied. */
export async function putIndex(dataFolder: string): Promise<void> {
  indexed ??= makeIndex();
  for (const { path, bytes } of await indexed) {
    await mkdir(join(dataFolder, dirname(path)), { recursive: true });
    await writeFile(join(dataFolder, path), bytes);
  }
}

/** Indexes the fixture as a site's owner would, and keeps what was written. */
async function makeIndex(): Promise<Files> {
  await using folder = await temporaryFolder();
  const loaded = checkConfig(
    { server: { dataFolder: folder.path }, sites: [kestrel, kestrelBlog, osprey] },
    { folder: folder.path, variables: { LOG_LEVEL: 'silent' } },
  );
  const services = await openServices(loaded);
  const { retriever } = services;
  for (const { domain, docs } of services.config.sites) {
    await indexSite({ domain, docs, retriever });
  }
  await services.close();
  const written = await readdir(join(folder.path, 'index'), {
    recursive: true,
    withFileTypes: true,
  });
  return Promise.all(
    written
      .filter((file) => file.isFile())
      .map(async ({ parentPath, name }) => {
        const file = join(parentPath, name);
        return { path: relative(folder.path, file), bytes: await readFile(file) };
      }),
  );
}
