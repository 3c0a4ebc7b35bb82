/** The door through which git reads: what passes, what does not, and that no secret is outside of it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { gate } from '../../../../../tests/support/scripted-model.ts';
import { added, contractFiles, refusal } from '../../../../testing/forge-fixture.ts';
import { publish } from '../../publish/publish.ts';
import { openGitProxy } from './git-proxy.ts';
import { openGitHub, token } from '../../../../testing/github-forge.ts';

const run = promisify(execFile);

async function start() {
  const setup = await openGitHub(contractFiles);
  onTestFinished(() => setup[Symbol.asyncDispose]());
  return setup;
}

async function open() {
  const setup = await start();
  const authorization = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`;
  const proxy = await openGitProxy({
    upstream: new URL(`${setup.server.repositoryUrl('acme/docs')}.git`),
    authorize: () => Promise.resolve(authorization),
  });
  onTestFinished(() => proxy.close());
  return { ...setup, proxy };
}

test('nothing passes but upload-pack of the one repository', async () => {
  const { server, proxy } = await open();
  const { origin, pathname } = new URL(proxy.url);
  const secret = pathname.slice(1);
  const post = (type: string) => ({ method: 'POST', headers: { 'content-type': type }, body: 'x' });
  const refused: [string, RequestInit?][] = [
    [`${origin}/info/refs?service=git-upload-pack`],
    [`${origin}/wrong/info/refs?service=git-upload-pack`],
    [`${origin}/${secret}`],
    [`${origin}/${secret}/info/refs`],
    [`${origin}/${secret}/info/refs?service=git-receive-pack`],
    [`${origin}/${secret}/info/refs?service=git-upload-pack&x=1`],
    [`${origin}/${secret}/../acme/other/info/refs?service=git-upload-pack`],
    [`${origin}/${secret}/git-receive-pack`, post('application/x-git-receive-pack-request')],
    [`${origin}/${secret}/git-upload-pack`],
    [`${origin}/${secret}/git-upload-pack`, post('text/plain')],
    [`${origin}/${secret}/info/refs?service=git-upload-pack`, { method: 'PUT', body: 'x' }],
  ];
  for (const [url, init] of refused)
    expect([url, (await fetch(url, init)).status]).toEqual([url, 404]);
  expect(server.requests).toEqual([]);
  const right = await fetch(`${proxy.url}/info/refs?service=git-upload-pack`, {
    headers: { authorization: 'Basic somebody-else', cookie: 'a=b', 'git-protocol': 'version=2' },
  });
  expect(right.status).toBe(200);
  await right.text();
  const [asked] = server.requests;
  expect(asked?.headers.authorization).toContain('Basic ');
  expect(asked?.headers.authorization).not.toContain('somebody-else');
  expect(asked?.headers.cookie).toBeUndefined();
});

test('after its end nobody gets in', async () => {
  const { proxy } = await open();
  await proxy.close();
  await expect(fetch(`${proxy.url}/info/refs?service=git-upload-pack`)).rejects.toThrow();
});

test('where a host leads elsewhere, nobody there is asked, with or without the token', async () => {
  const asked: string[] = [];
  const serve = async (answer: (response: ServerResponse) => void) => {
    const server = createServer(({ url = '' }, response) => {
      asked.push(url);
      answer(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const elsewhere = await serve((response) => response.end('read'));
  const upstream = await serve((response) =>
    response.writeHead(301, { location: `${elsewhere}/info/refs` }).end(),
  );
  const proxy = await openGitProxy({
    upstream: new URL(`${upstream}/acme/docs.git`),
    authorize: () => Promise.resolve('Basic x'),
  });
  onTestFinished(() => proxy.close());
  await expect(fetch(`${proxy.url}/info/refs?service=git-upload-pack`)).rejects.toThrow();
  expect(asked).toEqual(['/acme/docs.git/info/refs?service=git-upload-pack']);
});

/** Arguments and environment of every process below this one. */
async function childrenSay(): Promise<{ pid: string; text: string }[]> {
  const { stdout } = await run('ps', ['-eo', 'pid=,ppid=']);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const family = new Set([String(process.pid)]);
  for (let grew = true; grew;) {
    const before = family.size;
    for (const [pid = '', parent = ''] of rows) if (family.has(parent)) family.add(pid);
    grew = family.size > before;
  }
  family.delete(String(process.pid));
  const said = await Promise.all(
    [...family].map(async (pid) => {
      const parts = await Promise.all(
        ['cmdline', 'environ'].map((file) =>
          readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => ''),
        ),
      );
      return { pid, text: parts.join('\n') };
    }),
  );
  return said.filter(({ text }) => /^[^\0]*\bgit[^\0/]*\0/.test(text));
}

test.skipIf(process.platform !== 'linux')(
  'the token is in no argument and no environment of a child, in no file, no request body, no error',
  async () => {
    const setup = await start();
    const { server, forge, docs, folder } = setup;
    const commit = (await docs.tip()) ?? '';
    const base64 = Buffer.from(`x-access-token:${token}`).toString('base64');
    const holds = (text: string) => text.includes(token) || text.includes(base64.slice(4, -4));

    // The host keeps git waiting, so that it can be looked at while it runs.
    const door = gate();
    server.fail({ at: 'git', when: 'before', gate: door.wait });
    const opening = forge.openTree(commit);
    await expect.poll(() => server.requests.length).toBe(1);
    const children = await childrenSay();
    // git itself and the helper that speaks HTTP.
    expect(children.length).toBeGreaterThanOrEqual(2);
    expect(children.filter(({ text }) => holds(text))).toEqual([]);
    expect(children.some(({ text }) => text.includes('http://127.0.0.1:'))).toBe(true);
    door.open();
    const tree = await opening;
    await tree.read(['docs/index.md']);

    const published = await publish(
      forge,
      {
        branch: 'docent/x',
        baseBranch: 'main',
        source: commit,
        changes: [added('docs/x.md', 'x\n')],
        key: 'job/1',
        commitMessage: 'Add x',
        title: 'Add x',
        body: 'x',
        isDraft: false,
      },
      new AbortController().signal,
    );
    server.fail({ at: 'git', when: 'before', answer: { status: 403 } });
    const error = await refusal(setup.forge.openTree('2'.repeat(40)));
    const said = `${JSON.stringify(published)}${error.message}${error.stack}${String(error.cause)}`;
    expect(holds(said)).toBe(false);

    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const kept = files.filter((entry) => entry.isFile());
    expect(kept.length).toBeGreaterThan(3);
    for (const entry of kept) {
      expect([
        entry.name,
        holds(await readFile(join(entry.parentPath, entry.name), 'latin1')),
      ]).toEqual([entry.name, false]);
    }
    for (const { body, path, headers } of server.requests) {
      const { authorization, ...others } = headers;
      expect(holds(`${path}${body}${JSON.stringify(others)}`)).toBe(false);
      expect(authorization).toBeDefined();
    }
    // Nor in what git has in its own repository.
    const log = await docs.git('log', '--all', '--format=%B%an%ae');
    expect(holds(log)).toBe(false);
  },
);
