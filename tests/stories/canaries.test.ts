/** What must not be kept is planted wherever a caller can write, and looked for in all that is kept and logged. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { postgresPrograms, sharedPostgres } from '@docent/server/testing';
import { expect, test } from 'vitest';
import { createAsker, partOf, toBody } from '../support/ask.ts';
import { postJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import { startScriptedModel } from '../support/scripted-model.ts';
import { makeKey, toModel } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const random = 'aB3dE6gH9jK2mN5p';
const canaries = {
  card: ['4111', '1111', '1111', '1111'].join(' '),
  mail: 'jane.doe@canary.example',
  person: 'jane.doe',
  key: `sk-${random.repeat(3)}`,
  bearer: `gh${'p_'}${random.repeat(2)}Qr7T`,
};
const all = `${canaries.card} ${canaries.mail} ${canaries.key} Authorization: Bearer ${canaries.bearer}`;
const question = 'How do I install Kestrel?';
const selfHosted = { path: '/install', fp: `reader ${canaries.mail}` };

/** Every byte below a folder, search index aside: it holds the documentation. */
async function bytesOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && !file.parentPath.includes('index'))
    .map((file) => readFile(join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

const found = (text: string) =>
  Object.entries(canaries).flatMap(([name, canary]) => (text.includes(canary) ? [name] : []));

/** A real server that logs all it can, asked in every way that can go right and wrong. */
async function plant(databaseUrl?: string) {
  const folder = await temporaryFolder();
  await using model = await startScriptedModel();
  await putIndex(folder.path);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    models: { main: toModel(model.url) },
    sites: [{ ...kestrel, model: 'main' }],
  });
  const env = { LOG_LEVEL: 'debug', ...(databaseUrl && { DATABASE_URL: databaseUrl }) };
  const key = await makeKey(config, databaseUrl ? { DATABASE_URL: databaseUrl } : {});
  await using server = await serve(config, { env });
  const { ask, post } = createAsker(server.url, { key, domain: kestrel.domain });
  const { fp } = selfHosted;
  const headers = { 'user-agent': `Browser ${all}`, 'x-request-id': canaries.key };
  const body = toBody(`${question} ${all}`, {
    fp,
    context: [{ type: 'textSelection', value: all, path: `/a?m=${canaries.mail}` }],
    currentPath: `/install?who=${canaries.mail}`,
  });

  model.once([`You sent ${all}. [1]`]);
  const asked = await ask(body, { headers });
  expect(asked.text).toContain(canaries.card);
  const note = `Wrong: ${all}`;
  const messageId = partOf(asked.parts, 'start')?.['messageId'];
  const feedback = '/discovery/v1/feedback/kestrel-docs';
  const at = { url: server.url, key };
  const rated = await postJson(at, feedback, { fp, messageId, rating: 'down', note }, { headers });
  expect(rated.status).toBe(200);
  // The provider's own words quote what it was sent.
  model.onceAndAgain({ status: 500, body: { error: { message: `Bad prompt: ${all}` } } });
  expect(partOf((await ask(body, { headers })).parts, 'error')).toBeDefined();
  model.once({ status: 401, body: { error: { message: `Wrong key ${canaries.key}` } } });
  expect(partOf((await ask(body, { headers })).parts, 'error')).toBeDefined();
  // What is refused is quoted by nobody.
  expect((await post(`{"fp": "${all}", `, { headers })).status).toBe(400);
  expect((await ask({ ...body, fp: 7 }, { headers })).status).toBe(400);
  expect((await ask(body, { headers, key: canaries.key })).status).toBe(401);
  expect((await ask(body, { headers, key: canaries.bearer })).status).toBe(401);
  const query = new URLSearchParams({ token: canaries.key, mail: canaries.mail, q: all });
  for (const path of ['/nothing', '/healthz', '/discovery/v1/search/kestrel-docs']) {
    await (await fetch(`${server.url}${path}?${query}`, { headers })).text();
  }
  await waitFor('the log of the last request', () => server.output.stderr.includes('/healthz'));
  return { folder, log: () => server.output.stderr, stop: () => server.kill('SIGTERM') };
}

test('nothing of it is in the data folder or in the log', async () => {
  const planted = await plant();
  await using folder = planted.folder;
  await planted.stop();
  expect(found(planted.log())).toEqual([]);
  expect(planted.log()).toContain('"level":20');
  const kept = await bytesOf(folder.path);
  expect(kept).toContain(question);
  expect(found(kept)).toEqual([]);
  expect(kept).not.toContain(selfHosted.fp);
});

test('nor in PostgreSQL', async (context) => {
  if (postgresPrograms === undefined) return context.skip('no PostgreSQL on this machine');
  const postgres = await sharedPostgres();
  const url = await postgres.createDatabase();
  const planted = await plant(url);
  await using folder = planted.folder;
  expect(folder.path).toBeTruthy();
  await planted.stop();
  expect(found(planted.log())).toEqual([]);
  const tables = await postgres.query<{ name: string }>(
    url,
    `select tablename as name from pg_tables where schemaname = 'public'`,
  );
  expect(tables.length).toBeGreaterThan(10);
  const [turns] = await postgres.query<{ count: string }>(
    url,
    `select count(*) from turns where question like '${question}%'`,
  );
  expect(Number(turns?.count)).toBe(3);
  const holding: string[] = [];
  for (const { name } of tables) {
    const rows = await postgres.query<{ row: string }>(
      url,
      `select t::text as row from "${name}" t`,
    );
    if (found(rows.map(({ row }) => row).join('\n')).length > 0) holding.push(name);
  }
  expect(holding).toEqual([]);
});
