/** A GitHub App: found by the repository, tokens for it alone, never older than they may be. */
import { expect, onTestFinished, test } from 'vitest';
import type { GitHubServer } from '../../../../../tests/support/github-server.ts';
import { contractFiles, refusal } from '../../../../testing/forge-fixture.ts';
import { hideOwnSecrets } from '../../../platform/redaction/own-secrets.ts';
import { createGitHubForge, openGitHub } from '../../../../testing/github-forge.ts';

async function start(
  options: { repositories?: string[]; permissions?: object; now?: () => number } = {},
) {
  const { repositories = ['acme/docs', 'acme/other'] } = options;
  const secrets: Record<string, string> = {};
  let app: ReturnType<GitHubServer['addApp']> | undefined;
  const setup = await openGitHub(contractFiles, {
    ...options,
    secrets,
    github(server) {
      app = server.addApp({ repositories, ...options });
      secrets['APP_KEY'] = app.privateKey;
      return { app: { id: app.clientId, privateKeyEnv: 'APP_KEY' } };
    },
  });
  onTestFinished(() => setup[Symbol.asyncDispose]());
  if (!app) throw new Error('no App');
  return { ...setup, app, secrets };
}

test('a token is for one repository and what publishing needs, whatever else the App may do', async () => {
  const { server, forge, docs } = await start({
    permissions: { contents: 'write', pull_requests: 'write', administration: 'write' },
  });
  await Promise.all([
    forge.tip('main'),
    forge.defaultBranch(),
    forge.openTree((await docs.tip()) ?? ''),
  ]);
  await forge.tip('main');
  expect(server.minted).toEqual([
    {
      token: expect.stringMatching(/^ghs_/) as string,
      permissions: { contents: 'write', pull_requests: 'write' },
      repositories: ['acme/docs'],
    },
  ]);
  // Also a token that looks like an example, or stands in base64.
  const minted = Buffer.from(server.minted[0]?.token ?? '').toString('base64');
  expect(hideOwnSecrets(minted)).toMatch(/^\[redacted secret\].{0,2}=*$/);
});

test('a token is renewed before its hour ends, also in the middle of a job', async () => {
  let now = Date.parse('2026-11-21T12:00:00Z');
  const { server, forge } = await start({ now: () => now });
  const after = async (minutes: number) => {
    now += minutes * 60_000;
    await forge.tip('main');
    return server.minted.length;
  };
  expect(await after(0)).toBe(1);
  expect(await after(54)).toBe(1);
  expect(await after(2)).toBe(2);
  expect(await after(3)).toBe(2);
  // The machine slept: the old one has long ended, and is not even tried.
  expect(await after(24 * 60)).toBe(3);
  const used = server.requests
    .filter(({ path }) => path.endsWith('/git/ref/heads/main'))
    .map(({ headers }) => headers.authorization);
  expect(used).toEqual([0, 0, 1, 1, 2].map((at) => `Bearer ${server.minted[at]?.token}`));
});

test('what is wrong with an App is said, and counts as missing access', async () => {
  const { server, app, deps, secrets, hosted } = await start();
  const asked = async (more: object = {}) => {
    const forge = createGitHubForge({ ...deps, ...more });
    const { code, message } = await refusal(forge.tip('main'));
    return `${code}: ${message}`;
  };
  const name = `The GitHub App ${app.clientId}`;
  const { installation } = app;

  installation.isSuspended = true;
  expect(await asked()).toMatch(/^forge_not_configured: .* suspended/);
  installation.isSuspended = false;

  installation.permissions = { contents: 'read', pull_requests: 'write' };
  expect(await asked()).toMatch(
    new RegExp(`^forge_forbidden: ${name} was not given write access to contents`),
  );
  installation.permissions = { contents: 'write', pull_requests: 'write' };

  installation.repositories = ['acme/other'];
  expect(await asked()).toBe(
    `forge_not_configured: ${name} is not installed on acme/docs; install it there.`,
  );
  installation.repositories = [hosted.name];

  const key = secrets['APP_KEY'] ?? '';
  for (const [broken, words] of [
    ['', /is empty/],
    ['not a key', /doesn’t contain a private key/],
    ['-----BEGIN RSA ' + 'PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----', /can’t be used/],
    [server.addApp({ repositories: [] }).privateKey, /rejects/],
  ] as const) {
    secrets['APP_KEY'] = broken;
    const said = await asked();
    expect(said).toMatch(/^forge_not_configured: /);
    expect(said).toMatch(words);
    expect(said).not.toContain('AAAA');
  }
  secrets['APP_KEY'] = key;
  expect(await createGitHubForge(deps).tip('main')).toBeDefined();
});
