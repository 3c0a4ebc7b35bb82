/** Repositories: what is read of a commit, when nothing is, and what of theirs is never run. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createEmbeddedRetriever } from '../../retrieval/embedded/embedded-retriever.ts';
import type { PageChanges, Retriever } from '../../retrieval/retriever.ts';
import { indexSite, type SiteDocs } from '../indexer/index-site.ts';
import type { SourceState, SourceStates } from '../indexer/source-states.ts';

let root: string;
let work: string;
let copies: string;
let retriever: Retriever;
let applied: PageChanges[];
let states: SourceStates;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'docent-git-'));
  work = join(root, 'work');
  copies = join(root, 'copies');
  await mkdir(work);
  retriever = createEmbeddedRetriever({ folder: join(root, 'index') });
  applied = [];
  let kept = new Map<string, SourceState>();
  states = {
    load: () => Promise.resolve(kept),
    save: (_domain, _before, after) => {
      kept = new Map(JSON.parse(JSON.stringify([...after])) as [string, SourceState][]);
      return Promise.resolve();
    },
  };
  git('init', '--quiet', '--initial-branch=main');
});
afterEach(async () => {
  await retriever.close();
  await rm(root, { recursive: true, force: true });
});

const git = (...args: string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-C', work, ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  ).trim();

async function commit(files: Record<string, string | null>): Promise<string> {
  for (const [name, content] of Object.entries(files)) {
    if (content === null) await rm(join(work, name));
    else {
      await mkdir(dirname(join(work, name)), { recursive: true });
      await writeFile(join(work, name), content);
    }
  }
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a change');
  return git('rev-parse', 'HEAD');
}

const source = (more: object = {}): NonNullable<SiteDocs['sources']>[number] => ({
  type: 'git',
  url: work,
  folder: 'docs',
  username: 'x-access-token',
  ...more,
});

const index = (more: object = {}, docs: SiteDocs = {}, secret?: string) =>
  indexSite({
    domain: 'site',
    docs: { sources: [source(more)], ...docs },
    retriever: {
      hashes: (domain) => retriever.hashes(domain),
      apply: (domain, changes) => {
        applied.push(changes);
        return retriever.apply(domain, changes);
      },
    },
    states,
    copies,
    secret: () => secret,
  });
const paths = async () => [...(await retriever.hashes('site')).keys()].toSorted();

describe('which files', () => {
  test('the pages of a folder in a branch are the same as those of a local folder', async () => {
    await commit({
      'docs/index.md': '# Home\n\nHello.',
      'docs/guide/install.mdx': '# Install',
      'docs/.hidden/x.md': 'x',
      'docs/picture.png': 'x',
      'docs/draft.md': '---\ndraft: true\n---\nx',
      'README.md': 'not of the docs',
    });
    expect(await index()).toMatchObject({ pages: 2, added: 2, failures: [] });
    expect(await paths()).toEqual(['/', '/guide/install']);
    expect((await retriever.page('site', '/'))?.markdown).toBe('# Home\n\nHello.');
    // Nothing is checked out.
    const inside = await readdir(copies, { recursive: true });
    expect(inside.filter((name) => name.endsWith('.md'))).toEqual([]);
  });

  test('a branch, a tag, a whole repository, a base path', async () => {
    await commit({ 'docs/a.md': 'a' });
    git('tag', '-a', 'v1', '-m', 'one');
    git('checkout', '--quiet', '-b', 'next');
    await commit({ 'docs/b.md': 'b', 'c.md': 'c' });
    await index({ ref: 'main' });
    expect(await paths()).toEqual(['/a']);
    await index({ ref: 'next', basePath: '/next' });
    expect(await paths()).toEqual(['/next/a', '/next/b']);
    await index({ ref: 'v1' });
    expect(await paths()).toEqual(['/a']);
    await index({ ref: 'next', folder: '', include: ['*.md'] });
    expect(await paths()).toEqual(['/c']);
  });
});

describe('files that pages include', () => {
  test('come from the whole repository, and a change of one changes its pages', async () => {
    await symlink('../.env', join(work, 'secret.md'));
    await commit({
      '.env': 'secret',
      'mkdocs.yml': 'site_name: Kit\nmarkdown_extensions: [pymdownx.snippets]\n',
      'src/app.py': 'one()\n',
      'docs/a.md':
        '# A\n\n```python\n--8<-- "src/app.py"\n```\n\n--8<-- "secret.md"\n\n--8<-- ".env"\n',
      'docs/b.md': '# B',
    });
    expect(await index()).toMatchObject({
      notes: [expect.any(String), 'Includes: 3 found, 1 resolved'],
      warnings: [
        'a.md:7: "--8<-- "secret.md"" was left out: there is no such file.',
        'a.md:9: "--8<-- ".env"" was left out: hidden files and installed packages are not read.',
      ],
    });
    expect((await retriever.page('site', '/a'))?.markdown).toBe('# A\n\n```python\none()\n```');
    await commit({ 'src/app.py': 'two()\n', 'src/other.py': 'x' });
    expect(await index()).toMatchObject({ changed: 1, unchanged: 1 });
    expect((await retriever.page('site', '/a'))?.markdown).toContain('two()');
  });

  test('reStructuredText is named as not supported', async () => {
    await commit({ 'docs/a.rst': 'A', 'docs/b.md': 'B' });
    expect((await index()).warnings).toEqual([expect.stringContaining('not supported: a.rst')]);
    await commit({ 'docs/b.md': null });
    await expect(index()).rejects.toThrow('reStructuredText is not supported: a.rst');
  });
});

describe('the next run', () => {
  test('reads and writes nothing if the commit is the same', async () => {
    await commit({ 'docs/a.md': 'a', 'docs/b.md': 'b' });
    await index();
    applied.length = 0;
    // The objects are gone: whoever read a file now would fail.
    const [copy] = await readdir(copies);
    await rm(join(copies, copy ?? '', 'objects'), { recursive: true });
    expect(await index()).toMatchObject({ pages: 2, unchanged: 2 });
    expect(applied).toEqual([]);
  });

  test('applies what a commit changed, added, and removed', async () => {
    await commit({ 'docs/a.md': 'a', 'docs/b.md': 'b', 'docs/c.md': 'c' });
    await index();
    await commit({ 'docs/b.md': 'a giraffe', 'docs/c.md': null, 'docs/d.md': 'd' });
    expect(await index()).toMatchObject({ added: 1, changed: 1, unchanged: 1, removed: 1 });
    expect(await paths()).toEqual(['/a', '/b', '/d']);
  });

  test('a page has the day of the commit that changed it, if that came after the first run', async () => {
    const dayOf = async (path: string) => (await retriever.page('site', path))?.modified;
    await commit({
      'docs/a.md': 'a',
      'docs/b.md': 'b',
      'docs/c.md': '---\nlastUpdated: 2020-01-02\n---\nc',
    });
    await index();
    expect([await dayOf('/a'), await dayOf('/c')]).toEqual([undefined, '2020-01-02']);
    await commit({ 'docs/b.md': 'a giraffe' });
    const day = git('show', '--no-patch', '--format=%cs', 'HEAD');
    await index();
    expect([await dayOf('/a'), await dayOf('/b')]).toEqual([undefined, day]);
    await commit({ 'docs/d.md': 'd' });
    // With another base path, all pages are read again and keep their days.
    await index({ basePath: '/new' });
    expect([await dayOf('/new/a'), await dayOf('/new/b')]).toEqual([undefined, day]);
  });

  test('a rewritten branch is followed', async () => {
    await commit({ 'docs/a.md': 'a' });
    await index();
    git('commit', '--quiet', '--amend', '--message', 'another');
    await commit({ 'docs/a.md': 'b' });
    git('reset', '--quiet', '--soft', 'HEAD~1');
    git('commit', '--quiet', '--amend', '--message', 'one');
    expect(await index()).toMatchObject({ changed: 1 });
  });
});

describe('failures leave the index as it was', () => {
  beforeEach(async () => {
    await commit({ 'docs/a.md': 'a' });
    await index();
  });
  afterEach(async () => {
    expect(await paths()).toEqual(['/a']);
  });

  test.each<[string, object, RegExp]>([
    [
      'a branch that is not there',
      { ref: 'none' },
      /has no branch or tag none\. The 1 pages indexed before stay/,
    ],
    ['a folder that is not there', { folder: 'none' }, /There is no page for readers in none at/],
    [
      'a path without a repository',
      { url: '/nonexistent/repository' },
      /There is no repository at/,
    ],
    ['a scheme that runs programs', { url: 'ext::sh -c touch% /tmp/x' }, /must start with https/],
    ['a file by its address', { url: 'file:///etc' }, /must start with https/],
    ['a host of this network', { url: 'https://10.0.0.1/docs.git' }, /not on the public Internet/],
    ['this machine', { url: 'http://127.0.0.1:1/docs.git' }, /not on the public Internet/],
    [
      'the metadata service over ssh',
      { url: 'git@169.254.169.254:docs.git' },
      /not on the public Internet/,
    ],
    [
      'an option for an address',
      { url: '--upload-pack=touch /tmp/x' },
      /must start with https|Invalid URL/,
    ],
  ])('%s', async (_what, more, words) => {
    await expect(index(more)).rejects.toThrow(words);
  });
});

test('hooks and settings of a repository are not run', async () => {
  const mark = join(root, 'was-run');
  const script = `#!/bin/sh\ntouch ${mark}\nexit 0\n`;
  await commit({
    'docs/a.md': 'a',
    '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch x"\n',
  });
  for (const hook of ['post-checkout', 'pre-receive', 'reference-transaction', 'post-update']) {
    await writeFile(join(work, '.git/hooks', hook), script);
    await chmod(join(work, '.git/hooks', hook), 0o755);
  }
  const program = join(root, 'program');
  await writeFile(program, script);
  await chmod(program, 0o755);
  for (const name of [
    'core.fsmonitor',
    'uploadpack.packObjectsHook',
    'core.sshCommand',
    'core.pager',
  ]) {
    git('config', name, program);
  }
  await index();
  expect(await paths()).toEqual(['/a']);
  expect(existsSync(mark)).toBe(false);
});

describe('over HTTP', () => {
  let server: Server;
  let url: string;
  let host: string;
  const seen: string[] = [];
  beforeEach(async () => {
    seen.length = 0;
    // git's own server program behind a server that asks for a password.
    server = createServer((request, response) => {
      const authorization = request.headers.authorization ?? '';
      seen.push(authorization);
      const expected = `Basic ${Buffer.from('x-access-token:hunter2').toString('base64')}`;
      if (authorization !== expected) {
        response.writeHead(401, { 'WWW-Authenticate': 'Basic' }).end();
        return;
      }
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const program = spawn('git', ['http-backend'], {
        env: {
          PATH: '/usr/bin:/bin',
          GIT_PROJECT_ROOT: work,
          GIT_HTTP_EXPORT_ALL: '1',
          GIT_CONFIG_COUNT: '2',
          GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
          GIT_CONFIG_VALUE_0: 'true',
          GIT_CONFIG_KEY_1: 'safe.directory',
          GIT_CONFIG_VALUE_1: '*',
          PATH_INFO: path,
          QUERY_STRING: query,
          REQUEST_METHOD: request.method ?? 'GET',
          CONTENT_TYPE: request.headers['content-type'] ?? '',
          HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
          GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        },
      });
      request.pipe(program.stdin);
      const chunks: Buffer[] = [];
      program.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      program.on('close', () => {
        const all = Buffer.concat(chunks);
        const end = all.indexOf('\r\n\r\n');
        for (const line of all.toString('latin1', 0, end).split('\r\n')) {
          const [name = '', value = ''] = line.split(': ');
          if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
          else response.setHeader(name, value);
        }
        response.end(all.subarray(end + 4));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    url = `http://${host}/.git`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const docs = () => ({
    sources: [source({ url, tokenEnv: 'DOCS_TOKEN' })],
    allowPrivateHosts: [host],
  });

  test('with a token that is neither on disk nor in a message; only the pages are fetched', async () => {
    await commit({ 'docs/a.md': 'a', 'large.bin': 'x'.repeat(300_000) });
    await index({}, docs(), 'hunter2');
    expect(await paths()).toEqual(['/a']);
    const names = await readdir(copies, { recursive: true, withFileTypes: true });
    let bytes = 0;
    for (const name of names.filter((one) => one.isFile())) {
      const content = await readFile(join(name.parentPath, name.name));
      bytes += content.length;
      expect(content.includes('hunter2')).toBe(false);
      expect(content.includes(Buffer.from('x-access-token:hunter2').toString('base64'))).toBe(
        false,
      );
    }
    const large = git('rev-parse', 'HEAD:large.bin');
    const [copy] = await readdir(copies);
    const held = execFileSync(
      'git',
      ['--git-dir', join(copies, copy ?? ''), 'cat-file', '--batch-all-objects', '--batch-check'],
      { encoding: 'utf8' },
    );
    expect(held).toContain(git('rev-parse', 'HEAD:docs/a.md'));
    expect(held).not.toContain(large);
    expect(bytes).toBeLessThan(100_000);
  });

  test('the message about a wrong token does not contain it', async () => {
    await commit({ 'docs/a.md': 'a' });
    const failed = index({}, docs(), 'wrong-secret').catch((error: Error) => error);
    const error = (await failed) as Error;
    expect(error.message).toMatch(
      /cannot be read without a valid token; name its environment variable in "tokenEnv"/,
    );
    expect(`${error.message} ${String((error.cause as Error).message)}`).not.toContain(
      'wrong-secret',
    );
  });
});
