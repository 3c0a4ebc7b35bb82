/** A service reads its configuration at the start. What asks for more says that it must be restarted. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, osprey, temporaryFolder } from '../support/fixture.ts';
import { waitFor } from '../support/wait-for.ts';

describe('a configuration that changes while the service runs', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: Awaited<ReturnType<typeof serve>>;
  let config: string;
  const sites = [kestrel, osprey].map((site) => ({ ...site, docs: { folder: fixtureDocs } }));
  const run = (...args: string[]) => runCli([...args, '--config', config]);
  const needed = 'The configuration has changed since the service started.';

  beforeAll(async () => {
    folder = await temporaryFolder();
    config = await writeConfig(folder.path, { server: { port: 0 }, sites: sites.slice(0, 1) });
    server = await serve(config);
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await folder?.[Symbol.asyncDispose]();
  });

  const ask = async (domain: string) => {
    const organization = sites.find((site) => site.domain === domain)?.organization ?? '';
    const { stdout } = await run('keys', 'create', '--assistant', '--organization', organization);
    const key = /svc_dsc_[\w-]+/.exec(stdout)?.[0];
    const response = await fetch(`${server.url}/discovery/v1/site/${domain}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: await response.text() };
  };

  test('SIGHUP: the service goes on, and the log says what to do', async () => {
    process.kill(server.pid ?? process.pid, 'SIGHUP');
    await waitFor('the log', () => server.output.stderr.includes('restart the service'));
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  test('without a change, nobody speaks of a restart', async () => {
    expect((await run('index', kestrel.domain)).stdout).not.toContain(needed);
    expect((await run('doctor')).stdout).not.toContain(needed);
    expect(await ask(kestrel.domain)).toMatchObject({ status: 200 });
    expect((await ask(osprey.domain)).body).not.toContain(needed);
  });

  test('a new site: indexing, the diagnosis, and questions say that a restart is needed', async () => {
    await writeConfig(folder.path, { server: { port: 0 }, sites });
    expect((await run('index', osprey.domain)).stdout).toContain(`${needed} Restart it.`);
    expect((await run('doctor')).stdout).toContain(`✗ ${needed}\n  → Restart it.`);
    const { status, body } = await ask(osprey.domain);
    expect(status).toBe(404);
    expect(body).toContain(`${needed} Restart it.`);
  });
});
