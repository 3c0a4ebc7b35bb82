/** Two server processes on one PostgreSQL: what is connected at one is a project at the other, without a restart. */
import { join } from 'node:path';
import {
  postgresPrograms,
  startPostgres,
  type TestPostgres,
  whyNoPostgres,
} from '@docent/server/testing';
import type { ConnectReply, HostHealthReply } from '@docent/shared/connections';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agentOf } from '../support/agent.ts';
import { getJson, postJson } from '../support/call.ts';
import { serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';
import { startGitHubServer } from '../support/github-server.ts';
import { makeKey } from '../support/start-docent.ts';
import { waitFor } from '../support/wait-for.ts';

const token = 'github_pat_11PROCESSES0000000000_canary';
const files = {
  'docs/install.md': '# Install\n\nSee [usage](usag.md).\n',
  'docs/usage.md': '# Usage\n',
};

describe('a project that was connected at one process', () => {
  if (postgresPrograms === undefined) {
    test('is known at the other', (context) => context.skip(whyNoPostgres));
    return;
  }
  let postgres: TestPostgres;
  beforeAll(async () => void (postgres = await startPostgres()));
  afterAll(() => postgres[Symbol.asyncDispose]());

  test('is known at the other, whose jobs and checks use its credentials', async () => {
    await using folder = await temporaryFolder();
    await using github = await startGitHubServer();
    await github.addRepository('kestrel/docs', files);
    github.addToken(token);
    const key = 'a random text of more than thirty-two characters';
    const env = { DATABASE_URL: await postgres.createDatabase(), DOCENT_CREDENTIALS_KEY: key };
    // Machines of their own: they share the database and the key, and no folder.
    const configs = await Promise.all(
      ['one', 'other'].map(async (name) => {
        await putIndex(join(folder.path, name));
        const agent = { concurrency: name === 'one' ? 1 : 4 };
        const server = { port: 0, dataFolder: '.' };
        return writeConfig(join(folder.path, name), { server, sites: [kestrel], agent });
      }),
    );
    await using one = await serve(configs[0] ?? '', { env });
    await using other = await serve(configs[1] ?? '', { env });
    const admin = await makeKey(configs[0] ?? '', env, 'admin');
    const at = (server: { url: string }) => ({ url: server.url, key: admin });
    const body = { forge: 'github', url: github.url, token };
    const connected = await postJson<ConnectReply>(at(one), '/v1/connections', body);
    expect(connected.status).toBe(201);
    const project = {
      connection: connected.body.connection.id,
      repository: 'kestrel/docs',
      id: 'docs',
      docsRoot: 'docs',
    };
    expect(await postJson(at(one), '/v1/projects', project)).toMatchObject({ status: 201 });

    // At once, also if the other one hasn't heard of it.
    const health = await getJson<HostHealthReply>(at(other), '/v1/projects/docs/host');
    expect(health.body.checks.every(({ passed }) => passed)).toBe(true);
    expect(health.body.checks.length).toBe(4);
    const agent = agentOf({ url: other.url, admin }, 'docs');
    const { id } = (await agent.create({ command: { type: 'fix-links' } })).body;
    const ended = await waitFor('the job to end', async () => {
      const { body: job } = await agent.read(id);
      return job.status !== 'active' && job;
    });
    expect(ended).toMatchObject({
      status: 'completed',
      prLink: `${github.url}/kestrel/docs/pull/1`,
    });

    const gone = await fetch(`${other.url}/v1/projects/docs`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${admin}` },
    });
    expect(gone.status).toBe(204);
    await waitFor('the first one to hear of it', async () => {
      const { status } = await getJson(at(one), '/v1/projects/docs/host');
      return status === 404;
    });
    const rows = await postgres.query<{ secrets: string }>(
      env.DATABASE_URL,
      'select secrets from connections',
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });
});
