/** `docent users`: accounts without a browser, beside a server that runs. */
import { expect, test } from 'vitest';
import { runCli, serve, writeConfig } from '../../support/cli.ts';
import { fixtureDocs, kestrel, osprey, temporaryFolder } from '../../support/fixture.ts';
import { cookieOf, password, send, sessionWith } from '../../support/person.ts';

test('from the first line of the server to a disabled account', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    sites: [kestrel, osprey].map((site) => ({ ...site, docs: { folder: fixtureDocs } })),
  });
  await using server = await serve(config);
  const users = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(['users', ...args, '--config', config]);
    return { code, text: stdout + stderr };
  };
  const tokenIn = (text: string) => /\?token=(svc_web_[\w-]{43})\n/.exec(text)?.[1] ?? '';

  // For people, and not in the log, which is kept.
  expect(tokenIn(server.output.stdout)).not.toBe('');
  expect(server.output.stderr).not.toContain('token=');
  const token = tokenIn((await users('setup-token')).text);
  const owner = { token, email: 'ada@kestrel.test', name: 'Ada', password };
  expect((await send(server, '/v1/setup', owner)).status).toBe(201);
  expect(await users('setup-token')).toMatchObject({ code: 1 });

  const added = await users(
    'add',
    'Eve@Kestrel.test',
    '--role',
    'editor',
    '--organization',
    'kestrel',
  );
  expect(added.text).toContain('Added eve@kestrel.test: editor of kestrel.');
  expect(await users('add', 'eve@kestrel.test')).toMatchObject({ code: 1 });
  expect((await users('add', 'nobody')).text).toContain('"nobody" is no email address');
  const link = { token: tokenIn(added.text), password: 'three goats on a raft' };
  expect((await send(server, '/v1/session/link', { token: link.token })).status).toBe(400);
  const both = [send(server, '/v1/session/link', link), send(server, '/v1/session/link', link)];
  const answers = await Promise.all(both);
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401]);
  const cookie = cookieOf(answers.find(({ status }) => status === 200) ?? Response.error());
  expect(await sessionWith(server, cookie)).toMatchObject({
    role: 'editor',
    organization: 'kestrel',
  });

  // Another role ends the sessions that had the old one.
  await users('set-role', 'eve@kestrel.test', '--role', 'viewer', '--organization', 'kestrel');
  expect(await sessionWith(server, cookie)).toMatchObject({ state: 'signed-out' });
  const signIn = (given: string) =>
    send(server, '/v1/session', { email: 'eve@kestrel.test', password: given });
  expect(await (await signIn(link.password)).json()).toMatchObject({ role: 'viewer' });
  const older = tokenIn((await users('recovery-link', 'eve@kestrel.test')).text);
  const reset = tokenIn((await users('reset-password', 'eve@kestrel.test')).text);
  expect((await signIn(link.password)).status).toBe(401);
  await users('disable', 'eve@kestrel.test');
  const again = { token: reset, password: 'four goats on a raft' };
  expect((await send(server, '/v1/session/link', again)).status).toBe(401);
  expect(JSON.parse((await users('list', '--json')).text)).toMatchObject([
    { email: 'ada@kestrel.test', roles: 'owner of kestrel, owner of osprey', status: 'active' },
    { email: 'eve@kestrel.test', roles: 'viewer of kestrel', password: 'no' },
  ]);
  await users('enable', 'eve@kestrel.test');
  expect((await send(server, '/v1/session/link', again)).status).toBe(200);
  // A link that was used ends the ones before it.
  expect((await send(server, '/v1/session/link', { ...again, token: older })).status).toBe(401);
  expect((await signIn(again.password)).status).toBe(200);
  await users('disable', 'eve@kestrel.test');
  expect((await signIn(again.password)).status).toBe(401);
});
