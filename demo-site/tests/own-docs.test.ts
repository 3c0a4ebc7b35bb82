/** Checks Docent's own documentation: generated tables, examples, and settings. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ConfigFile } from '@docent/server/config';
import { checkConfig } from '@docent/server/docent';
import { expect, test } from 'vitest';
import config from '../docent.config.ts';
import { errorPage, withErrorTable } from '../error-table.ts';
import { accessPage, withPermissionTable } from '../permission-table.ts';
import { failurePage, withFailureTable } from '../failure-table.ts';

const folder = fileURLToPath(new URL('../docs', import.meta.url));

test('the error table is up to date: `pnpm --filter @docent/demo-site error-table`', () => {
  const page = readFileSync(errorPage, 'utf8');
  expect(page).toBe(withErrorTable(page));
});

test('the failure table is up to date: `pnpm --filter @docent/demo-site failure-table`', () => {
  const page = readFileSync(failurePage, 'utf8');
  expect(page).toBe(withFailureTable(page));
});

test('the permission table is up to date; `vitest -u` writes it', async () => {
  const page = readFileSync(accessPage, 'utf8');
  await expect(withPermissionTable(page)).toMatchFileSnapshot(fileURLToPath(accessPage));
});

test('the configuration of this site is valid', () => {
  const loaded = checkConfig(config, {
    folder: fileURLToPath(new URL('..', import.meta.url)),
    variables: {},
  });
  expect(loaded.config.sites[0]?.docs.folder).toBe(folder);
});

test('the examples of sources are valid configurations', async () => {
  const page = readFileSync(`${folder}/sources.md`, 'utf8');
  const blocks = [...page.matchAll(/^```ts\n(docs: [\s\S]*?)^```$/gm)].map(([, block]) => block);
  expect(blocks.length).toBeGreaterThanOrEqual(7);
  for (const block of blocks) {
    const file = join(mkdtempSync(join(tmpdir(), 'docent-example-')), 'example.mjs');
    writeFileSync(file, `export default { ${block} }`);
    const { docs } = ((await import(pathToFileURL(file).href)) as { default: { docs: object } })
      .default;
    rmSync(dirname(file), { recursive: true });
    const { config: loaded } = checkConfig(
      { sites: [{ ...config.sites[0], docs }] },
      {
        folder: fileURLToPath(new URL('..', import.meta.url)),
        variables: { DOCS_TOKEN: 'a token' },
      },
    );
    expect(loaded.sites[0]?.docs.sources.length, block).toBeGreaterThan(0);
  }
});

/** All keys in a JSON schema at any depth, without names that the owner chooses. */
function settingsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { properties?: Record<string, unknown> };
  const deeper = [...Object.values(properties), ...Object.values(rest)].flatMap(settingsOf);
  return [...Object.keys(properties), ...deeper];
}

test('every setting of the configuration file is described', () => {
  const schema = ConfigFile.toJSONSchema({ io: 'input', unrepresentable: 'any' });
  const settings = [...new Set(settingsOf(schema))];
  expect(settings.length).toBeGreaterThan(60);
  // The configuration page, and the pages that describe some settings instead.
  const text = [
    'configuration',
    'models',
    'search-engines',
    'sources',
    'budgets-and-abuse',
    'dashboard-access',
  ]
    .map((page) => readFileSync(`${folder}/${page}.md`, 'utf8'))
    .join('\n');
  // Settings appear in headings and in code.
  const code = [...text.matchAll(/^#+ .*$|^```[\s\S]*?^```$|`[^`\n]+`/gm)].map(([found]) => found);
  const described = new Set(code.flatMap((piece) => piece.match(/\w+/g) ?? []));
  expect(settings.filter((name) => !described.has(name))).toEqual([]);
});
