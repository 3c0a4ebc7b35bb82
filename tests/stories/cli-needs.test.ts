/** A command needs what it uses, and no more: secrets of others, a process that was killed, a folder that can be. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { postgresPrograms, startPostgres, whyNoPostgres } from '../../server/testing/postgres.ts';
import { runCli, runProcess, startCli, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, osprey, temporaryFolder } from '../support/fixture.ts';
import { waitFor } from '../support/wait-for.ts';

/** A server that takes requests and never answers. */
async function startSilent() {
  let requests = 0;
  const server = createServer(() => void (requests += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const missing = [
  'sites.1.docs.sources.0 needs the environment variable SOURCE_TOKEN; set it to a token that may read the repository',
  'search needs the environment variable MEILI_KEY; set it to Meilisearch',
  'search.embedder needs the environment variable EMBEDDER_KEY; set it to the provider',
  'server.metricsTokenEnv needs the environment variable METRICS; set it to a long random text',
  'budgets.alerts needs the environment variable ALERTS; set it to a secret',
  'projects.0.github needs the environment variable GH_TOKEN; set it to a token',
  'projects.0.webhooks.0 needs the environment variable HOOK; set it to a secret',
  'models.main needs the environment variable MODEL_KEY; set it to',
  'dashboard.openId needs the environment variable OPENID; set it to',
];

test('commands work without secrets that they do not use; the service names all that is missing', async () => {
  await using folder = await temporaryFolder();
  await using silent = await startSilent();
  const settings = (search: object) => ({
    server: { port: 0, dataFolder: './data', metricsTokenEnv: 'METRICS' },
    search,
    models: {
      main: {
        provider: 'openai-compatible',
        baseUrl: silent.url,
        model: 'x',
        apiKeyEnv: 'MODEL_KEY',
      },
    },
    budgets: { alerts: { webhook: `${silent.url}/a`, secretEnv: 'ALERTS' } },
    dashboard: {
      openId: {
        issuer: silent.url,
        clientId: 'x',
        clientSecretEnv: 'OPENID',
        organization: 'kestrel',
      },
    },
    sites: [
      { ...osprey, model: 'main', docs: { folder: fixtureDocs } },
      {
        ...kestrel,
        docs: {
          sources: [{ type: 'git', url: 'https://127.0.0.1:1/a.git', tokenEnv: 'SOURCE_TOKEN' }],
        },
      },
    ],
    projects: [
      {
        id: 'docs',
        organization: 'kestrel',
        repository: 'https://github.com/kestrel/docs',
        github: { tokenEnv: 'GH_TOKEN' },
        webhooks: [{ url: `${silent.url}/b`, secretEnv: 'HOOK' }],
      },
    ],
  });
  const config = await writeConfig(folder.path, settings({ engine: 'embedded' }));
  const run = (...args: string[]) => runCli([...args, '--config', config]);
  expect(await run('keys', 'list')).toMatchObject({ code: 0, stderr: '' });
  const first = await run('index', osprey.domain);
  expect(first.code).toBe(0);
  expect(first.stdout).toMatch(/4 pages/);
  expect(await run('audit', 'export', 'kestrel')).toMatchObject({ code: 0 });

  // One that uses a variable says which, and where it's named; another site goes on.
  const both = await run('index');
  expect(both.code).toBe(1);
  expect(both.stdout).toContain('4 pages');
  expect(both.stderr).toContain(missing[0]);
  expect(
    (await run('projects', 'check')).stdout + (await run('projects', 'check')).stderr,
  ).toContain(missing[5]);

  const meili = await writeConfig(folder.path, {
    ...settings({
      engine: 'meilisearch',
      url: silent.url,
      apiKeyEnv: 'MEILI_KEY',
      embedder: { baseUrl: silent.url, model: 'x', dimensions: 8, apiKeyEnv: 'EMBEDDER_KEY' },
    }),
  });
  expect(await run('keys', 'list')).toMatchObject({ code: 0, stderr: '' });
  const indexed = await run('index', osprey.domain);
  expect(indexed.stderr).toContain(missing[1]);
  expect(silent.requests()).toBe(0);

  for (const command of ['doctor', 'serve']) {
    // oxlint-disable-next-line no-await-in-loop -- one machine
    const { code, stdout, stderr } = await runProcess([command, '--config', meili]);
    expect(code).toBe(1);
    for (const each of missing) {
      const [text = '', fix = ''] = each.split('; ');
      expect(stdout + stderr).toContain(text);
      expect(stdout + stderr).toContain(fix);
    }
  }
});

test('an indexing run after kill -9 begins at once; another machine’s is waited for, and the message says until when', async () => {
  await using folder = await temporaryFolder();
  await using silent = await startSilent();
  const settings = (docs: object) => ({
    server: { port: 0, dataFolder: './data' },
    sites: [{ ...kestrel, docs }],
  });
  const sitemap = { type: 'sitemap', url: `${silent.url}/sitemap.xml` };
  const config = await writeConfig(
    folder.path,
    settings({ sources: [sitemap], allowPrivateHosts: ['127.0.0.1'] }),
  );
  const args = ['index', '--config', config];
  await using hanging = startCli(args);
  await waitFor('it to read the site', () => silent.requests() > 0);
  const database = () => new DatabaseSync(join(folder.path, 'data', 'docent.db'));
  const lease = () => {
    const opened = database();
    const row = opened.prepare('select * from index_runs').get() as {
      owner: string;
      lease_until: string;
    };
    opened.close();
    return row;
  };
  await writeConfig(folder.path, settings({ folder: fixtureDocs }));
  const during = await runProcess(args);
  expect(during.code).toBe(1);
  expect(during.stderr).toMatch(
    /is being indexed by another process since 20\S+; wait for its end/,
  );

  await hanging.kill();
  expect(lease().owner).not.toBeNull();
  const after = await runProcess(args);
  expect(after.code).toBe(0);
  expect(after.stdout).toContain('4 pages (4 new');

  const opened = database();
  const until = new Date(Date.now() + 45_000).toISOString();
  opened
    .prepare(`update index_runs set status = 'running', owner = ?, lease_until = ?`)
    .run('01ABC another-machine 1 2', until);
  opened.close();
  const elsewhere = await runProcess(args);
  expect(elsewhere.code).toBe(1);
  expect(elsewhere.stderr).toContain(`wait until ${until}.`);
});

test.runIf(process.platform === 'linux')(
  'a data folder where the system allows none is named, and nothing hangs',
  async () => {
    await using folder = await temporaryFolder();
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: '/proc/docent/data' },
      sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
    });
    const { code, stdout } = await runProcess(['doctor', '--config', config]);
    expect(code).toBe(1);
    expect(stdout).toContain('/proc/docent/data');
    const indexed = await runProcess(['index', '--config', config]);
    expect(indexed.code).toBe(1);
    expect(indexed.stderr).toMatch(/^docent: .*data folder \/proc\/docent\/data/);
  },
);

/** On PostgreSQL, the schedule of the same process was the first to begin the run, and the page never came. */
describe('`docent start` on PostgreSQL', () => {
  test('indexes a new site and shows its page, also while another process indexes', async (context) => {
    if (postgresPrograms === undefined) return context.skip(whyNoPostgres);
    await using postgres = await startPostgres();
    await using folder = await temporaryFolder();
    const databaseUrl = await postgres.createDatabase();
    const config = await writeConfig(folder.path, {
      server: { port: 0, dataFolder: './data' },
      sites: [{ ...osprey, docs: { folder: fixtureDocs } }],
    });
    const start = () =>
      startCli(['start', '--config', config], {
        cwd: folder.path,
        env: { DATABASE_URL: databaseUrl },
      });
    {
      await using docent = start();
      await waitFor('the page', () => docent.output.stdout.includes('Docent is ready.'));
      expect(docent.output.stderr).not.toContain('docent:');
      await docent.stop();
    }

    await postgres.query(
      databaseUrl,
      "update index_runs set status = 'running', owner = 'other', lease_until = '2999-01-01T00:00:00.000Z'",
    );
    await using docent = start();
    await waitFor('the page', () => docent.output.stdout.includes('Docent is ready.'));
    expect(docent.output.stderr).toContain('is being indexed by another process');
    await docent.stop();
  });
});
