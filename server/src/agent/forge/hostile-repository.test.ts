/**
 * Settings, hooks and attributes of a repository can make git run programs. Each route below is shown to
 * run one where git is used as people use it; then the agent's change is published from a repository with
 * the same trap, and from one with all of them at once: nothing runs.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../../tests/support/fixture.ts';
import { makeRepository } from '../../../../tests/support/docs-repository.ts';
import { createFileSet } from '../workspace/file-set.ts';
import { createPathPolicy } from '../workspace/path-policy.ts';
import { ProjectConfig } from '../../platform/config/project-config.ts';
import { openRepository } from '../../platform/git/repository.ts';
import { openStore } from '../../open-store.ts';
import type { Store } from '../../platform/store/database.ts';
import { quiet } from '../../../testing/each-database.ts';
import { createLocalForge } from './local/local-forge.ts';
import { publish } from '../publish/publish.ts';

interface Trap {
  /** Settings of the repository. */
  config?: Record<string, string>;
  hooks?: string[];
  /** `info/attributes` of the repository, and `.gitattributes` in its content. */
  attributes?: string;
  /** What somebody does who works in a checked-out copy. */
  naive: string[][];
}

const add = ['add', '--all'];
const commit = ['commit', '--quiet', '--message', 'x'];

/** The ten of which we know that they run where git is used as people use it. */
const traps = (program: string): Record<string, Trap> => ({
  'the hook pre-commit': { hooks: ['pre-commit'], naive: [add, commit] },
  'the hook pre-push': { hooks: ['pre-push'], naive: [add, commit, ['push', 'mirror', 'HEAD']] },
  'the hook reference-transaction': { hooks: ['reference-transaction'], naive: [add, commit] },
  'core.fsmonitor': { config: { 'core.fsmonitor': program }, naive: [['status']] },
  'diff.external': { config: { 'diff.external': program }, naive: [['diff']] },
  'filter.clean': {
    config: { 'filter.trap.clean': program },
    attributes: '* filter=trap\n',
    naive: [add],
  },
  textconv: {
    config: { 'diff.trap.textconv': program },
    attributes: '* diff=trap\n',
    naive: [['diff']],
  },
  'remote.receivepack': {
    config: { 'remote.mirror.receivepack': program, 'remote.origin.receivepack': program },
    naive: [add, commit, ['push', 'mirror', 'HEAD']],
  },
  'gpg.program': {
    config: { 'gpg.program': program, 'commit.gpgSign': 'true', 'tag.gpgSign': 'true' },
    naive: [add, commit],
  },
  'core.sshCommand': {
    config: { 'core.sshCommand': program },
    naive: [['fetch', 'ssh://nobody@127.0.0.1/x']],
  },
});

/** What else could be thought of; not all of it runs in every version of git. */
const further = (program: string): Trap => ({
  config: {
    'core.hooksPath': 'hooks',
    'core.editor': program,
    'core.pager': program,
    'core.askPass': program,
    'core.alternateRefsCommand': program,
    'core.gitProxy': program,
    'core.attributesFile': 'info/attributes',
    'credential.helper': `!${program}`,
    'diff.trap.command': program,
    'filter.trap.smudge': program,
    'filter.trap.process': program,
    'filter.trap.required': 'true',
    'merge.trap.driver': `${program} %A`,
    'merge.default': 'trap',
    'gpg.ssh.program': program,
    'gpg.x509.program': program,
    'sequence.editor': program,
    'trailer.trap.command': program,
    'uploadpack.packObjectsHook': program,
    'remote.origin.uploadpack': program,
    'remote.origin.url': `ext::sh -c ${program}`,
    'protocol.ext.allow': 'always',
    'url.ext::.insteadOf': '/',
    'alias.fast-import': `!${program}`,
    'submodule.x.update': `!${program}`,
  },
  hooks: [
    'applypatch-msg',
    'commit-msg',
    'fsmonitor-watchman',
    'post-checkout',
    'post-commit',
    'post-index-change',
    'post-merge',
    'post-receive',
    'post-rewrite',
    'post-update',
    'pre-auto-gc',
    'pre-merge-commit',
    'pre-receive',
    'prepare-commit-msg',
    'proc-receive',
    'update',
  ],
  attributes: '* filter=trap diff=trap merge=trap\n',
  naive: [],
});

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let marks: string;
let program: string;
let store: Store;

beforeEach(async () => {
  folder = await temporaryFolder();
  marks = join(folder.path, 'marks');
  program = join(folder.path, 'program');
  await mkdir(marks);
  await writeFile(program, `#!/bin/sh\ntouch "${marks}/ran-$$"\nexit 0\n`);
  await chmod(program, 0o755);
  store = await openStore({ dataFolder: ':memory:', databaseUrl: undefined, log: quiet });
});
afterEach(async () => {
  await store.close();
  await folder[Symbol.asyncDispose]();
});

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
};

async function plant(gitFolder: string, { config = {}, hooks = [], attributes }: Trap) {
  for (const [key, value] of Object.entries(config)) {
    execFileSync('git', [`--git-dir=${gitFolder}`, 'config', key, value], { env: environment });
  }
  for (const hook of hooks) {
    const path = join(gitFolder, 'hooks', hook);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `#!/bin/sh\nexec "${program}"\n`);
    await chmod(path, 0o755);
  }
  if (attributes !== undefined) {
    await mkdir(join(gitFolder, 'info'), { recursive: true });
    await writeFile(join(gitFolder, 'info/attributes'), attributes);
  }
}

const ran = () => readdir(marks);

/** As a naive host does it: a checked-out copy, and porcelain in it. */
async function workNaively(trap: Trap) {
  const work = join(folder.path, 'work');
  const mirror = join(folder.path, 'mirror.git');
  const git = (...args: string[]) => {
    const running = promisify(execFile)(
      'git',
      ['-c', 'user.name=T', '-c', 'user.email=t@t.example', ...args],
      {
        cwd: work,
        env: environment,
        timeout: 20_000,
      },
    );
    running.child.stdin?.end();
    // What fails has run all the same.
    return running.catch(() => undefined);
  };
  await mkdir(work);
  await git('init', '--quiet', '--initial-branch=main', '--bare', mirror);
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'mirror', mirror);
  await writeFile(join(work, 'a.md'), 'one\n');
  await git(...add);
  await git(...commit);
  await plant(join(work, '.git'), trap);
  await writeFile(join(work, 'a.md'), 'two\n');
  for (const args of trap.naive) await git(...args);
}

/** As the agent does it: read, edited, published, followed up, merged with what people did, read again. */
async function workAsAgent(trap: Trap) {
  await using repository = await makeRepository({
    'docs/a.md': 'one\n\ntwo\n\nthree\n',
    'docs/b.md': 'b\n',
    '.gitattributes': trap.attributes ?? '* filter=trap diff=trap merge=trap\n',
    'docs/.gitattributes': '*.md filter=trap\n',
    '.gitmodules':
      '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch x"\n\tupdate = !touch x\n',
    '.git-hooks/pre-commit': { mode: '100755', content: '#!/bin/sh\ntouch x\n' },
  });
  await plant(repository.path, trap);
  await rm(marks, { recursive: true });
  await mkdir(marks);
  const signal = new AbortController().signal;
  const forge = createLocalForge({
    database: store.database,
    now: () => new Date(),
    project: 'docs',
    path: repository.path,
    pullUrl: (number) => `http://docent.test/pull/${number}`,
  });
  const project = ProjectConfig.parse({ id: 'p', organization: 'o' });
  const policy = createPathPolicy(project.paths, '');
  const base = (await forge.tip(await forge.defaultBranch())) ?? '';
  const first = createFileSet({ tree: await forge.openTree(base), policy });
  await first.edit('docs/a.md', 'one', 'ONE');
  await first.move('docs/b.md', 'docs/c.md');
  const text = { commitMessage: 'x', title: 'x', body: 'x', isDraft: false };
  const where = { branch: 'docent/x', baseBranch: 'main', source: base };
  const one = await publish(
    forge,
    { ...text, ...where, changes: await first.changes(), key: 'j/1' },
    signal,
  );
  expect(one.pull).toBeDefined();
  const mine = await ran();

  // People push to the branch and to the base; git itself may run their hooks then, so it is told not to.
  await repository.commit({ 'docs/a.md': 'ONE\n\ntwo\n\nTHREE\n' }, 'x', { branch: 'docent/x' });
  await rm(marks, { recursive: true });
  await mkdir(marks);
  const second = createFileSet({ tree: await forge.openTree(one.commit ?? ''), policy });
  await second.edit('docs/a.md', 'two', 'TWO');
  const two = await publish(
    forge,
    {
      ...text,
      ...where,
      source: one.commit ?? '',
      changes: await second.changes(),
      key: 'j/2',
      pullNumber: one.pull?.number,
    },
    signal,
  );
  expect(two.commit).toBeDefined();
  expect(await repository.read('docs/a.md', 'docent/x')).toBe('ONE\n\nTWO\n\nTHREE\n');
  await forge.readPullRequest(one.pull?.number ?? 0);
  const merged = await forge.merge(one.pull?.number ?? 0, two.commit ?? '');
  expect(merged).toBe('merged');

  const copy = await openRepository({
    url: repository.path,
    folder: join(folder.path, 'copies'),
    username: 'x',
    privateHosts: [],
  });
  const head = await copy.commit();
  await copy.fetch(head);
  const [file] = await copy.files(head, 'docs');
  await copy.read([file?.oid ?? '']);
  return [...mine, ...(await ran())];
}

describe('routes by which git runs programs', () => {
  const names = Object.keys(traps(''));
  expect(names).toHaveLength(10);

  test.each(names)(
    '%s runs for who works in a checked-out copy, not for the agent',
    async (name) => {
      const trap = traps(program)[name];
      if (!trap) throw new Error(name);
      await workNaively(trap);
      expect((await ran()).length).toBeGreaterThan(0);
      expect(await workAsAgent(trap)).toEqual([]);
    },
  );

  test('all of them at once, and more', async () => {
    const more = further(program);
    const all = Object.values(traps(program));
    expect(
      await workAsAgent({
        config: Object.assign({}, more.config, ...all.map(({ config }) => config)) as Record<
          string,
          string
        >,
        hooks: [...(more.hooks ?? []), ...all.flatMap(({ hooks }) => hooks ?? [])],
        attributes: more.attributes ?? '',
        naive: [],
      }),
    ).toEqual([]);
  });
});
