import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import express from 'express';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWidgetBuild, createWidgetFiles } from './widget-files.ts';

let root: string;
let dist: string;
beforeAll(async () => void (root = await mkdtemp(join(tmpdir(), 'docent-widget-'))));
afterAll(() => rm(root, { recursive: true }));
beforeEach(async () => {
  const folder = await mkdtemp(join(root, 'case-'));
  dist = join(folder, 'dist');
});

const sha256 = (text: string) => createHash('sha256').update(text);

const asModule = (version: string) => `export const createDocent = '${version}'`;

/** A build whose files say which one it is. */
async function build(version: string): Promise<string> {
  await rm(dist, { recursive: true, force: true });
  await mkdir(join(dist, 'widget'), { recursive: true });
  const loader = `load("panel-${version.padEnd(10, '0')}.js")`;
  await writeFile(join(dist, 'docent.js'), loader);
  await writeFile(join(dist, 'docent.js.br'), brotliCompressSync(loader));
  await writeFile(join(dist, 'docent.mjs'), asModule(version));
  await writeFile(join(dist, 'widget', `panel-${version.padEnd(10, '0')}.js`), `// ${version}`);
  return sha256(loader + asModule(version))
    .digest('hex')
    .slice(0, 16);
}

async function serve() {
  const app = express();
  app.use(createWidgetFiles(createWidgetBuild(dist)));
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    get: (path: string, init?: RequestInit) => fetch(url + path, init),
    text: async (path: string) => (await fetch(url + path)).text(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('the loader may be old for minutes, its files for ever; pages of any origin may load both', async () => {
  const id = await build('one');
  await using server = await serve();
  const caching = async (path: string) => {
    const response = await server.get(path);
    expect(response.status, path).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
    return response.headers.get('cache-control');
  };
  expect(await caching('/docent.js')).toMatch(/max-age=300\b/);
  expect(await caching('/docent-v1.js')).toMatch(/max-age=300\b/);
  expect(await caching(`/docent-${id}.js`)).toMatch(/max-age=31536000, immutable/);
  expect(await caching('/docent.mjs')).toMatch(/max-age=300\b/);
  expect(await caching('/docent-v1.mjs')).toMatch(/max-age=300\b/);
  expect(await caching(`/docent-${id}.mjs`)).toMatch(/max-age=31536000, immutable/);
  expect(await caching('/widget/panel-one0000000.js')).toMatch(/max-age=31536000, immutable/);
});

test('a missing file is 404, which a page may read and no cache keeps', async () => {
  await build('one');
  await using server = await serve();
  for (const path of [
    '/docent-0123456789abcdef.js',
    '/docent-v2.js',
    '/docent-0123456789abcdef.mjs',
    '/widget/docent.mjs',
    '/widget/chat-none000000.js',
    '/widget/docent.js',
    '/widget/v1/chat.js',
    '/widget/..%2fdocent.js',
    '/widget/%2e%2e/docent.js.br',
    '/widget/',
  ]) {
    const response = await server.get(path);
    expect([path, response.status]).toEqual([path, 404]);
  }
  const gone = await server.get('/widget/chat-none000000.js');
  expect(gone.headers.get('access-control-allow-origin')).toBe('*');
  expect(gone.headers.get('cache-control')).toBe('no-store');
});

test('a file is sent compressed to clients that accept it', async () => {
  await build('one');
  await using server = await serve();
  const read = (encoding: string) =>
    new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      const headers = { 'accept-encoding': encoding };
      request(`${server.url}/docent.js`, { headers }, async (response) => {
        const body = Buffer.concat(await response.toArray());
        resolve({ encoding: response.headers['content-encoding'], body });
      })
        .on('error', reject)
        .end();
    });
  const small = await read('gzip, br');
  expect(small.encoding).toBe('br');
  expect(String(brotliDecompressSync(small.body))).toBe('load("panel-one0000000.js")');
  expect(await read('gzip')).toMatchObject({ encoding: undefined });
  expect(String((await read('identity')).body)).toBe('load("panel-one0000000.js")');
});

test('an unchanged loader is not sent again', async () => {
  await build('one');
  await using server = await serve();
  const etag = (await server.get('/docent.js')).headers.get('etag') ?? '';
  const again = await server.get('/docent.js', {
    // Node's own fetch would ask for a fresh one.
    headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
  });
  expect(again.status).toBe(304);
});

test('after an upgrade, the files of the earlier build are 404, and the panel has a permanent name', async () => {
  const first = await build('one');
  const second = await build('two');
  expect(second).not.toBe(first);
  await using server = await serve();
  expect(await server.text('/docent.js')).toContain('panel-two');
  expect((await server.get(`/docent-${first}.js`)).status).toBe(404);
  expect((await server.get('/widget/panel-one0000000.js')).status).toBe(404);
  expect(await server.text('/widget/v1/panel.js')).toBe(
    'export * from "../panel-two0000000.js";\n',
  );
});

test('a build that is replaced while the server runs is noticed', async () => {
  await build('one');
  await using server = await serve();
  expect(await server.text('/docent.js')).toContain('panel-one');
  await build('two');
  const later = new Date(Date.now() + 5_000);
  await utimes(join(dist, 'docent.js'), later, later);
  expect(await server.text('/widget/panel-two0000000.js')).toBe('// two');
});

test('the manifest names the hash of each file', async () => {
  const id = await build('one');
  await using server = await serve();
  const manifest = (await (await server.get('/widget/manifest.json')).json()) as object;
  const loader = 'load("panel-one0000000.js")';
  expect(manifest).toEqual({
    loader: { path: `/docent-${id}.js`, integrity: `sha256-${sha256(loader).digest('base64')}` },
    module: {
      path: `/docent-${id}.mjs`,
      integrity: `sha256-${sha256(asModule('one')).digest('base64')}`,
    },
    files: { 'panel-one0000000.js': `sha256-${sha256('// one').digest('base64')}` },
  });
});
