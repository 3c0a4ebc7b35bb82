/** What Gitea, Forgejo, and GitLab refuse, and what a job's owner hears. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ForgeKind } from '../../../../../tests/support/forges/admin.ts';
import { contractFiles, modified, refusal } from '../../../../testing/forge-fixture.ts';
import { allScopes, forgeToken, openWire, type WireSetup } from '../../../../testing/wire-forge.ts';
import { gitea } from '../gitea/gitea.ts';
import { createRemoteForge } from './remote-forge.ts';
import { wordsIn } from './failures.ts';

const kinds: ForgeKind[] = ['gitea', 'gitlab'];

async function start(kind: ForgeKind, files = contractFiles) {
  const setup = await openWire(kind, files);
  onTestFinished(() => setup[Symbol.asyncDispose]());
  return setup;
}

async function propose({ forge, docs }: WireSetup, title = 'Install', isDraft = false) {
  const parent = (await docs.tip()) ?? '';
  const changes = [modified('docs/install.md', '# Install\n', '# Installing\n')];
  const commit = await forge.writeCommit({ parent, changes, message: 'Install' });
  await forge.createBranch('docent/x', commit);
  return forge.createPullRequest({ branch: 'docent/x', base: 'main', title, body: 'B', isDraft });
}

describe.each(kinds)('%s', (kind) => {
  test.each<[string, (setup: WireSetup) => unknown, string, RegExp]>([
    ['archived', ({ hosted }) => (hosted.isArchived = true), 'forge_rejected', /is archived/],
    ['a mirror', ({ hosted }) => (hosted.isMirror = true), 'forge_rejected', /that it mirrors/],
    ['without files', ({ hosted }) => (hosted.hasFiles = false), 'forge_rejected', /no files/],
    [
      'without pull requests',
      ({ hosted }) => (hosted.hasPulls = false),
      'forge_rejected',
      /no (pull|merge) requests: .* switch them on/,
    ],
    [
      'gone',
      ({ server }) => server.repositories.clear(),
      'repository_not_found',
      /the token in DOCS_TOKEN can’t see it/,
    ],
    [
      'with a token that was revoked',
      ({ server }) => server.revokeToken(forgeToken),
      'forge_not_configured',
      /rejects the token in DOCS_TOKEN/,
    ],
    [
      'with an account that may only read',
      ({ server }) => server.addToken(forgeToken, { scopes: allScopes[kind], may: 'read' }),
      'forge_forbidden',
      /may not write to .* (needs|give)/,
    ],
    [
      'with a token that may only read',
      ({ server }) =>
        server.addToken(forgeToken, {
          scopes: kind === 'gitea' ? ['read:repository', 'read:user'] : ['read_api'],
          may: 'write',
        }),
      'forge_forbidden',
      /lacks (a|the) scope/,
    ],
  ])('%s: refused before anything is written', async (_what, change, code, words) => {
    const setup = await start(kind);
    change(setup);
    const error = await refusal(setup.forge.assertWritable());
    expect(error.message).toMatch(words);
    expect(error.code).toBe(code);
    expect(error.message).not.toContain(forgeToken);
  });

  test('without commits, and without a base branch', async () => {
    const { forge } = await start(kind, {});
    expect((await refusal(forge.defaultBranch())).code).toBe('base_branch_missing');
    expect((await refusal(forge.tip('main'))).message).toMatch(/no commits yet/);
  });

  test('a protected branch is named', async () => {
    const setup = await start(kind);
    await setup.hosted.restrict(
      'docent/',
      kind === 'gitea'
        ? 'Gitea: Not allowed to push to protected branch docent/x'
        : 'GitLab: You are not allowed to create protected branches on this project.',
    );
    const error = await refusal(propose(setup));
    expect(error.code).toBe('branch_protected');
    expect(error.message).toContain('“docent/x”');
    expect(await setup.docs.branches()).toEqual(['main']);
  });

  test('what a hook says is quoted, on one line and without addresses', async () => {
    const setup = await start(kind);
    await setup.hosted.restrict(
      'docent/',
      'Ticket number is missing,\nsee https://corp.test/rules',
    );
    const error = await refusal(propose(setup));
    expect(error.code).toBe('forge_rejected');
    expect(error.message).toContain('Ticket number is missing, see');
    expect(error.message).not.toMatch(/corp\.test|\n/);
  });

  test('a draft stays one when its title or text changes, and has its plain title here', async () => {
    const setup = await start(kind);
    const pull = await propose(setup, 'WIP: Draft: Install', true);
    expect(pull).toMatchObject({ title: 'Install', isDraft: true });
    const prefix = kind === 'gitea' ? 'WIP: ' : 'Draft: ';
    expect(setup.hosted.pulls[0]?.title).toBe(`${prefix}Install`);
    await setup.forge.updatePullRequest(1, { title: 'Better' });
    expect(setup.hosted.pulls[0]?.title).toBe(`${prefix}Better`);
    await setup.forge.updatePullRequest(1, { body: 'Other' });
    expect(setup.hosted.pulls[0]).toMatchObject({ title: `${prefix}Better`, body: 'Other' });
    await setup.forge.updatePullRequest(1, { isDraft: false });
    expect(setup.hosted.pulls[0]?.title).toBe('Better');
  });

  test('a NUL goes to no host', async () => {
    const setup = await start(kind);
    await propose(setup, 'In\0stall');
    expect(setup.hosted.pulls[0]?.title).toBe('Install');
  });

  test.each(['before', 'after'] as const)(
    'a call that fails %s it was carried out is repeated, and nothing is there twice',
    async (when) => {
      const setup = await start(kind);
      const place = kind === 'gitea' ? '/pulls' : '/merge_requests';
      const fault = setup.server.fail({ at: `POST ${place}`, when, answer: 'cut' });
      const pull = await propose(setup);
      expect(fault.happened).toBe(1);
      expect(pull.number).toBe(1);
      expect(setup.hosted.pulls.length).toBe(1);
    },
  );

  test('a push whose answer was lost counts, if the branch is there', async () => {
    const setup = await start(kind);
    const parent = (await setup.docs.tip()) ?? '';
    const changes = [modified('docs/install.md', '# Install\n', '# Installing\n')];
    const commit = await setup.forge.writeCommit({ parent, changes, message: 'Install' });
    setup.server.fail({ at: 'git git-receive-pack', when: 'before', answer: { status: 502 } });
    const failed = await refusal(setup.forge.createBranch('docent/x', commit));
    expect(failed.code).toBe('forge_unavailable');
    expect(await setup.forge.createBranch('docent/x', commit)).toBe(true);
    expect(await setup.forge.createBranch('docent/x', commit)).toBe(true);
  });

  test('too many requests: waits as asked, and gives up where that is too long', async () => {
    const { forge, server } = await start(kind);
    const soon = { status: 429, headers: { 'retry-after': '0' } };
    server.fail({ at: 'GET ', when: 'before', answer: soon, times: 2 });
    expect(await forge.defaultBranch()).toBe('main');
    const late = { status: 429, headers: { 'retry-after': '3600' } };
    server.fail({ at: 'GET ', when: 'before', answer: late, times: 9 });
    const error = await refusal(forge.defaultBranch());
    expect(error.code).toBe('forge_rate_limited');
    expect(error.message).toContain('3600 seconds');
  });

  test('something else answers at the address', async () => {
    const { forge, server } = await start(kind);
    const page = { status: 200, body: '<title>Sign in</title>' };
    server.fail({ at: 'GET ', when: 'before', answer: page });
    expect((await refusal(forge.defaultBranch())).message).toMatch(/but not as .* does/);
  });

  test('who commits is the account of the token', async () => {
    const setup = await start(kind);
    await propose(setup);
    expect(await setup.docs.git('log', '-1', '--format=%an <%ae>', 'docent/x')).toMatch(
      /^Docs Bot <.*(acme|gitlab)\.test>$/,
    );
  });

  test('the token is in the headers of our requests, and in no file', async () => {
    const setup = await start(kind);
    await propose(setup);
    const files = await readdir(setup.deps.folder, { recursive: true, withFileTypes: true });
    const kept = files.filter((entry) => entry.isFile());
    expect(kept.length).toBeGreaterThan(3);
    for (const { parentPath, name } of kept) {
      expect((await readFile(join(parentPath, name), 'latin1')).includes(forgeToken)).toBe(false);
    }
    for (const { path, body } of setup.server.requests) {
      expect(`${path}${body}`).not.toContain(forgeToken);
    }
    expect(setup.server.requests.some(({ path }) => path.endsWith('/git-receive-pack'))).toBe(true);
  });
});

test('just after the first push, Gitea says that the repository is empty, and hides the list', async () => {
  const { forge, hosted } = await start('gitea');
  hosted.saysEmpty = true;
  expect(await forge.defaultBranch()).toBe('main');
  expect(await forge.findPullRequest('docent/x')).toBeUndefined();
  hosted.hasPulls = false;
  expect((await refusal(forge.findPullRequest('docent/x'))).message).toMatch(/no pull requests/);
});

test('a pull request far down the list of Gitea is found', async () => {
  const setup = await openWire('gitea', contractFiles);
  onTestFinished(() => setup[Symbol.asyncDispose]());
  const first = await propose(setup);
  const [pull] = setup.hosted.pulls;
  if (!pull) throw new Error('There is no pull request');
  for (let number = 2; number <= 130; number += 1) {
    setup.hosted.pulls.push({ ...pull, number, branch: `other/${number}`, updated: 1e6 + number });
  }
  expect((await setup.forge.findPullRequest('docent/x'))?.number).toBe(first.number);
});

test('the scope to read the user is asked for in words, and a name in the configuration needs none', async () => {
  const setup = await start('gitea');
  setup.server.addToken(forgeToken, { scopes: ['write:repository'], may: 'write' });
  expect((await refusal(propose(setup))).message).toMatch(/“user” to read/);
  const commitAuthor = { name: 'Docs <Bot>\n', email: 'docs-bot@acme.dev' };
  const project = { ...setup.deps.project, commitAuthor };
  const forge = createRemoteForge({ ...setup.deps, project }, gitea);
  expect((await propose({ ...setup, forge })).number).toBe(1);
  expect(await setup.docs.git('log', '-1', '--format=%an <%ae>', 'docent/x')).toBe(
    'Docs Bot <docs-bot@acme.dev>',
  );
});

test.each([
  [{ message: 'no' }, 'no'],
  [{ message: { base: ['is taken', 'is long'] } }, 'base is taken base is long'],
  [{ message: ['one', 'two'] }, 'one two'],
  [{ error: 'insufficient_scope', error_description: 'More.' }, 'insufficient_scope More.'],
  [undefined, ''],
  [{ message: { a: { b: [{ message: 'deep' }] } } }, 'a b deep'],
])('the words of %j', (answer, words) => {
  expect(wordsIn(answer).join(' ')).toBe(words);
});
