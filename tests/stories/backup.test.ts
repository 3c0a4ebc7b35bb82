/** Copies of the database: made beside a running service, put back with it stopped, whatever dies meanwhile. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createAsker } from '../support/ask.ts';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { kestrel, putIndex, temporaryFolder } from '../support/fixture.ts';

const question = 'How do I install Kestrel?';

async function prepare() {
  const folder = await temporaryFolder();
  await putIndex(folder.path);
  const config = await writeConfig(folder.path, {
    server: { port: 0, dataFolder: '.' },
    sites: [kestrel],
  });
  const run = (...args: string[]) => runCli([...args, '--config', config]);
  const create = async (name: string) => {
    const options = ['--assistant', '--site', kestrel.domain, '--name', name];
    const { stdout } = await run('keys', 'create', ...options);
    return {
      id: /[0-9A-HJKMNP-TV-Z]{26}/.exec(stdout)?.[0] ?? '',
      token: /svc_dsc_[\w-]+/.exec(stdout)?.[0] ?? '',
    };
  };
  return {
    path: (name: string) => join(folder.path, name),
    names: () => readdir(folder.path),
    config,
    run,
    create,
    questions: (file = 'docent.db') => {
      using database = new DatabaseSync(join(folder.path, file), { readOnly: true });
      return database.prepare('select count(*) as n from turns').get()?.['n'];
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test('a backup of a running service is whole, private, and brings back what was there', async () => {
  await using at = await prepare();
  const [kept, revoked] = [await at.create('kept'), await at.create('revoked later')];
  const copy = at.path('copy.db');
  await using server = await serve(at.config);
  const { ask } = createAsker(server.url, { key: kept.token, domain: kestrel.domain });
  expect((await ask(question)).status).toBe(200);

  // Questions are stored while the copy is made.
  const [made] = await Promise.all([at.run('backup', copy), ask(question), ask(question)]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(copy) });
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect((await at.run('backup', copy)).stderr).toBe(
    `docent: ${copy} already exists. Name another file.\n`,
  );
  expect((await at.run('backup', at.path('no-folder/copy.db'))).stderr).toMatch(
    /^docent: \S+no-folder can't hold the backup \(ENOENT: .*\); name a file in another folder\.\n$/,
  );
  expect((await at.run('restore', copy)).stderr).toMatch(
    /^docent: Another Docent server already uses the data folder /,
  );
  expect((await at.run('keys', 'revoke', revoked.id)).code).toBe(0);
  await server.kill('SIGTERM');
  expect(at.questions()).toBe(3);

  const restored = await at.run('restore', copy);
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(restored.stdout).toContain('These keys are valid again');
  expect(restored.stdout).toContain(`  ${revoked.id}  revoked later\n`);
  expect(restored.stdout).not.toContain(kept.id);
  expect(at.questions()).toBe(at.questions('copy.db'));
  const previous = (await at.names()).find((name) => name.endsWith('-replaced.db'));
  expect(at.questions(previous)).toBe(3);

  await using again = await serve(at.config);
  const asker = createAsker(again.url, { key: revoked.token, domain: kestrel.domain });
  expect((await asker.ask(question)).status).toBe(200);
});

test('a restore ends sessions, and names who and what it lets in again', async () => {
  await using at = await prepare();
  const edit = (sql: string) => {
    using database = new DatabaseSync(at.path('docent.db'));
    database.exec(sql);
  };
  await at.create('a');
  for (const name of ['kept', 'changed', 'codes', 'disabled']) {
    const args = ['users', 'add', `${name}@kestrel.example`, '--organization', 'kestrel'];
    expect(await at.run(...args)).toMatchObject({ code: 0 });
  }
  const share = (id: string) =>
    `insert into page_shares values ('${id}', '${id}', 'kestrel', 'p', 'job', '${id}-job', 'x', '2026-01-01', '2099-01-01', null)`;
  edit(`update people set recovery_codes = '["one","two"]' where email like 'codes%';
    insert into sessions (id, hash, person_id, organization, needs_code, created_at, last_used_at, expires_at, address, user_agent)
      select 'session', 'hash', id, 'kestrel', 0, '2026-01-01', '2026-01-01', '2099-01-01', '', '' from people limit 1;
    insert into connections select 'c', 'kestrel', 'github', 'https://github.com', 'docs-bot', null, null, 'sealed', 1, '2026-01-01', 'x';
    insert into connection_states values ('hash', 'x', 'kestrel', '{}', '2099-01-01');
    ${share('kept')}; ${share('revoked')}`);
  await at.run('backup', at.path('copy.db'));
  edit(`update people set recovery_codes = '["two"]' where email like 'codes%';
    update page_shares set revoked_at = '2026-01-02' where id = 'revoked';
    delete from connections`);
  const role = ['--role', 'editor', '--organization', 'kestrel'];
  for (const args of [
    ['set-role', 'changed@kestrel.example', ...role],
    ['disable', 'disabled@kestrel.example'],
  ]) {
    expect(await at.run('users', ...args)).toMatchObject({ code: 0 });
  }

  const { stdout, code } = await at.run('restore', at.path('copy.db'));
  expect(code).toBe(0);
  for (const name of ['changed', 'codes', 'disabled']) {
    expect(stdout).toContain(`  ${name}@kestrel.example: `);
  }
  expect(stdout).toContain('  revoked  job revoked-job\n');
  expect(stdout).toContain('  docs-bot at https://github.com\n');
  expect(stdout).not.toContain('kept');
  using database = new DatabaseSync(at.path('docent.db'), { readOnly: true });
  for (const table of ['sessions', 'person_tokens', 'connection_states']) {
    expect(database.prepare(`select count(*) as n from ${table}`).get()).toEqual({ n: 0 });
  }
});

test('a restore that is killed leaves the old database or the new one, and works the next time', async () => {
  await using at = await prepare();
  const key = await at.create('a');
  await at.run('backup', at.path('copy.db'));
  {
    await using server = await serve(at.config);
    const { ask } = createAsker(server.url, { key: key.token, domain: kestrel.domain });
    await ask(question);
    // The process dies with its last changes still in the log beside the database.
    await server.kill('SIGKILL');
  }
  const isThere = {
    'the copy is written': () => existsSync(at.path('docent.db.unfinished')),
    'the old database has its second name': async () =>
      (await at.names()).some((name) => name.endsWith('-replaced.db')),
  };
  for (const isReached of Object.values(isThere)) {
    const cli = process.env['DOCENT_TEST_CLI'] ?? import.meta.resolve('../../server/src/main.ts');
    const args = [cli.replace('file://', ''), 'restore', at.path('copy.db'), '--config', at.config];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    const ended = once(child, 'close');
    while (child.exitCode === null && !(await isReached()))
      await new Promise((resolve) => setImmediate(resolve));
    child.kill('SIGKILL');
    await ended;
    expect([0, 1]).toContain(at.questions());
  }
  expect(await at.run('restore', at.path('copy.db'))).toMatchObject({ code: 0, stderr: '' });
  expect(at.questions()).toBe(0);
});

test('what is no backup is refused, and nothing changes', async () => {
  await using at = await prepare();
  await at.create('a');
  await at.run('backup', at.path('copy.db'));
  await writeFile(at.path('text.db'), 'This is a text.');
  {
    using newer = new DatabaseSync(at.path('copy.db'));
    newer.exec(`insert into kysely_migration values ('9999-next', '2030-01-01')`);
  }
  for (const [file, sentence] of [
    ['text.db', /^docent: \S+text\.db isn't a complete backup of Docent\.\n$/],
    ['none.db', /^docent: \S+none\.db can't be read\.\n$/],
    [
      'copy.db',
      /^docent: \S+copy\.db was written by a newer Docent; restore it with that version\./,
    ],
  ] as const) {
    expect(await at.run('restore', at.path(file))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(sentence),
    });
  }
  expect((await at.run('keys', 'list')).stdout).toContain('a');
  expect((await at.names()).filter((name) => /replaced|unfinished/.test(name))).toEqual([]);
});
