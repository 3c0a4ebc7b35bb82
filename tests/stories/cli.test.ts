/** The admin's command line: what it does, and how it says no. */
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, runProcess, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, osprey, temporaryFolder } from '../support/fixture.ts';

async function place(server: object = {}) {
  const folder = await temporaryFolder();
  const docs = join(folder.path, 'docs');
  await cp(fixtureDocs, docs, { recursive: true });
  const config = await writeConfig(folder.path, {
    server: { port: 0, ...server },
    sites: [kestrel, osprey].map((site) => ({ ...site, docs: { folder: 'docs' } })),
  });
  return {
    docs,
    folder: folder.path,
    run: (...args: string[]) => runCli([...args, '--config', config]),
    runProcess: (...args: string[]) => runProcess([...args, '--config', config]),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const id = (text: string) => /[0-9A-HJKMNP-TV-Z]{26}/.exec(text)?.[0] ?? '';

test('keys: create, list, revoke', async () => {
  await using at = await place();
  expect((await at.run('keys', 'list')).stdout).toBe(
    'There are no keys yet. Create one with `docent keys create`.\n',
  );

  const made = await at.run(
    'keys',
    'create',
    '--assistant',
    '--site',
    'kestrel-docs',
    '--name',
    'Blog',
    '--expires',
    '90d',
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const token = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(made.stdout)?.[0] ?? '';
  expect(made.stdout).toContain(
    "Copy it now. It isn't shown again, because Docent keeps only its hash.",
  );
  expect(made.stdout).toMatch(
    new RegExp(
      `<script src="http://\\S+/docent\\.js" data-site="kestrel-docs" data-key="${token}" async></script>`,
    ),
  );

  const admin = await at.run('keys', 'create', '--admin', '--organization', 'kestrel');
  expect(admin.stdout).toMatch(/svc_(?!dsc_)[A-Za-z0-9_-]{43}/);
  expect(admin.stdout).not.toContain('<script');

  const list = await at.run('keys', 'list');
  expect(list.stdout).toContain(id(made.stdout));
  expect(list.stdout).toContain('Blog');
  expect(list.stdout).toContain(`…${token.slice(-4)}`);
  expect(list.stdout).not.toContain(token.slice(0, -4));
  const [head = '', ...rows] = list.stdout.trimEnd().split('\n');
  expect(head).toMatch(/^id +kind +for +name +ends +status +may /);
  expect(rows).toHaveLength(2);
  // Columns stand below their names, without frames and quotation marks.
  expect(rows[0]?.slice(head.indexOf('name ')).startsWith('Blog ')).toBe(true);
  expect(list.stdout).not.toMatch(/['│]/);
  const asJson = JSON.parse((await at.run('keys', 'list', '--json')).stdout) as object[];
  expect(asJson[0]).toMatchObject({ id: id(made.stdout), name: 'Blog' });
  expect(JSON.stringify(asJson)).not.toContain(token.slice(0, -4));

  const revoked = await at.run('keys', 'revoke', id(made.stdout));
  expect(revoked).toMatchObject({ code: 0, stderr: '' });
  expect(revoked.stdout).toMatch(/^Key \S+ \(….{4}\) was revoked at \S+Z\.\n$/);
  expect((await at.run('keys', 'list')).stdout).toContain('revoked 20');
});

test('keys: scopes, networks, groups, and another token', async () => {
  await using at = await place();
  const made = await at.run(
    'keys',
    'create',
    '--assistant',
    '--site',
    'kestrel-docs',
    '--scopes',
    'search, mcp',
    '--networks',
    '203.0.113.0/24,2001:DB8::1',
    '--groups',
    'staff, partners',
  );
  expect(made).toMatchObject({ code: 0, stderr: '' });
  // Without the scope to ask it is of no use in a page.
  expect(made.stdout).not.toContain('<script');
  const old = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(made.stdout)?.[0] ?? '';

  const rotated = await at.run('keys', 'rotate', id(made.stdout), '--grace', '12h');
  expect(rotated).toMatchObject({ code: 0, stderr: '' });
  expect(rotated.stdout).toMatch(
    /^Key \S+ has a new token\. The old one \(….{4}\) is valid until \S+Z\.\n/,
  );
  const token = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(rotated.stdout)?.[0] ?? '';
  expect(token).not.toBe(old);

  const list = (await at.run('keys', 'list')).stdout;
  expect(list).toContain('search, mcp');
  expect(list).toContain('203.0.113.0/24, 2001:db8::1');
  expect(list).toContain('staff, partners');
  expect(list).toMatch(new RegExp(`valid; …${old.slice(-4)} until \\S+Z, last used never`));
  expect(list).toContain(`…${token.slice(-4)}`);

  const gone = await at.run('keys', 'rotate', id(made.stdout), '--grace', '0');
  expect(gone.stdout).toContain('The old one is no longer valid.');
});

test('index: the first run reads all, the second nothing; then what changed', async () => {
  await using at = await place();
  const counts = (
    pages: number,
    added: number,
    changed: number,
    unchanged: number,
    removed: number,
  ) =>
    new RegExp(
      `^kestrel-docs: ${pages} pages \\(${added} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed\\), \\d+ passages? written in \\d+\\.\\d s\\n$`,
    );
  const index = () => at.run('index', 'kestrel-docs');
  expect(await index()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(counts(4, 4, 0, 0, 0)),
  });
  expect((await index()).stdout).toMatch(counts(4, 0, 0, 4, 0));

  await writeFile(join(at.docs, 'new.md'), '# New\n\nA new page.\n');
  await writeFile(join(at.docs, 'index.md'), '# Kestrel\n\nChanged.\n');
  await rm(join(at.docs, 'guides', 'alerts.md'));
  expect((await index()).stdout).toMatch(counts(4, 1, 1, 2, 1));

  const all = await at.run('index');
  expect(all.code).toBe(0);
  expect(all.stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^kestrel-docs: /),
    expect.stringMatching(/^osprey-docs: /),
  ]);
});

test('several commands at once on a new data folder wait for each other', async () => {
  await using at = await place();
  const runs = await Promise.all(Array.from({ length: 6 }, () => at.runProcess('keys', 'list')));
  for (const { code, stderr } of runs) expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

describe('says no in one sentence', () => {
  let at: Awaited<ReturnType<typeof place>>;
  beforeAll(async () => {
    at = await place();
  });
  afterAll(() => at[Symbol.asyncDispose]());

  test.each<[string, string[], RegExp]>([
    ['an unknown command', ['nonsense'], /^error: unknown command 'nonsense'$/],
    ['an unknown option', ['serve', '--colour'], /^error: unknown option '--colour'$/],
    [
      'an unknown key',
      ['keys', 'revoke', 'nobody'],
      /^docent: There is no key with the id nobody\.$/,
    ],
    [
      'no kind',
      ['keys', 'create', '--site', 'kestrel-docs'],
      /^docent: Say which kind of key: --assistant .* --admin .*\.$/,
    ],
    ['no site', ['keys', 'create', '--assistant'], /^docent: Say what the key is for: --site/],
    [
      'an unknown site',
      ['keys', 'create', '--assistant', '--site', 'x'],
      /^docent: There is no site "x"; there are: kestrel-docs, osprey-docs\.$/,
    ],
    [
      'an admin key for a site',
      ['keys', 'create', '--admin', '--site', 'kestrel-docs'],
      /^docent: .* `domain` is only for assistant keys/,
    ],
    [
      'no organization',
      ['keys', 'create', '--admin'],
      /^docent: Say whose key it is: --organization <name>\.$/,
    ],
    [
      'an unknown organization',
      ['keys', 'create', '--admin', '--organization', 'x'],
      /^docent: The configuration has no organization "x"\. It has kestrel, osprey\.$/,
    ],
    [
      'a time that is over',
      ['keys', 'create', '--assistant', '--site', 'kestrel-docs', '--expires', '2020-01-01'],
      /^docent: --expires "2020-01-01" isn't in the future. Write/,
    ],
    [
      'an unknown scope',
      ['keys', 'create', '--assistant', '--site', 'kestrel-docs', '--scopes', 'search,write'],
      /^docent: .* `scopes` must be of assistant, search, mcp\./,
    ],
    [
      'groups of an admin key',
      ['keys', 'create', '--admin', '--organization', 'kestrel', '--groups', 'staff'],
      /^docent: .* `groups` is only for assistant keys/,
    ],
    [
      'what is no network',
      ['keys', 'create', '--assistant', '--site', 'kestrel-docs', '--networks', '10.0.0.0/33'],
      /^docent: .* `networks` has "10\.0\.0\.0\/33", which is no address or subnet, such as/,
    ],
    [
      'a grace that is no time',
      ['keys', 'rotate', 'x', '--grace', 'soon'],
      /^docent: --grace "soon" isn't a length of time\. Write days such as 7d/,
    ],
    [
      'an unknown key to rotate',
      ['keys', 'rotate', 'nobody'],
      /^docent: There is no key with the id nobody\.$/,
    ],
    [
      'an unknown site to index',
      ['index', 'x'],
      /^docent: There is no site "x"; there are: kestrel-docs, osprey-docs\.$/,
    ],
  ])('%s', async (_what, args, words) => {
    const isCommand = args[0] !== 'nonsense';
    const run = await (isCommand ? at.run(...args) : runCli(args));
    expect(run.code).toBe(1);
    expect(run.stdout).toBe('');
    expect(run.stderr.trim()).toMatch(words);
  });

  test('a port that is taken', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    await using other = await place({ port });
    const run = await other.runProcess('serve');
    taken.close();
    expect(run.code).toBe(1);
    expect(run.stderr.trim().split('\n').at(-1)).toBe(
      `docent: Port ${port} of 127.0.0.1 is in use. Stop the program that uses it, or set another \`server.port\`.`,
    );
    expect(run.stderr).not.toContain('    at ');
  });

  test('an address that this machine does not have', async () => {
    await using other = await place({ host: '203.0.113.7' });
    const run = await other.run('serve');
    expect(run.code).toBe(1);
    expect(run.stderr.trim().split('\n').at(-1)).toBe(
      'docent: This machine does not have the address 203.0.113.7. Set another `server.host`.',
    );
    expect(run.stderr).not.toContain('    at ');
  });

  test('no configuration', async () => {
    await using folder = await temporaryFolder();
    await mkdir(join(folder.path, 'empty'));
    const run = await runProcess(['serve'], { cwd: join(folder.path, 'empty') });
    expect(run.code).toBe(1);
    expect(run.stderr).toBe(
      'docent: There is no configuration file in this folder. Write one with `docent init`, or name one with --config.\n',
    );
  });

  test('help is no failure', async () => {
    const run = await runCli(['--help']);
    expect(run.code).toBe(0);
    for (const command of ['serve', 'index', 'keys']) expect(run.stdout).toContain(command);
  });
});
