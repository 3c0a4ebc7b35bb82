/** The npm package, as an owner gets it: built, packed, installed in an empty folder, and used. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, serve, writeConfig } from '../support/cli.ts';
import { fixtureDocs, kestrel, temporaryFolder } from '../support/fixture.ts';

const run = promisify(execFile);
const server = fileURLToPath(new URL('../../server', import.meta.url));

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let tarball: string;
/** Where it is installed. */
let installed: string;
/** The command. */
let cli: string;

beforeAll(async () => {
  place = await temporaryFolder();
  const [outDir, empty] = [join(place.path, 'built'), join(place.path, 'empty')];
  await build({ root: server, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
  const { stdout } = await run('npm', ['pack', outDir, '--json'], { cwd: place.path });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  tarball = join(place.path, packed?.filename ?? '');
  await mkdir(empty);
  // Nothing but the tarball is needed, so no registry is.
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: empty });
  installed = join(empty, 'node_modules/docent');
  cli = join(empty, 'node_modules/.bin/docent');
});
afterAll(() => place[Symbol.asyncDispose]());

test('is one package of JavaScript, smaller than 15 MB', async () => {
  expect((await stat(tarball)).size).toBeLessThan(15 * 1024 * 1024);
  expect(await readdir(join(installed, '..'))).toEqual(['.bin', '.package-lock.json', 'docent']);
  const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as object;
  expect(manifest).not.toHaveProperty('dependencies');
  expect(manifest).not.toHaveProperty('scripts');
  const files = await readdir(installed, { recursive: true, withFileTypes: true });
  const endings = files.filter((file) => file.isFile()).map(({ name }) => extname(name));
  const text = ['.js', '.cjs', '.mjs', '.ts', '.css', '.svg', '.json', '.md', ''];
  expect([...new Set(endings)].filter((each) => !text.includes(each)).toSorted()).toEqual([
    // What the server sends compressed.
    '.br',
    '.gz',
  ]);
  expect(await readFile(join(installed, 'licenses.md'), 'utf8')).toContain('## express');
});

test('says its version, which the changelog has', async () => {
  const { code, stdout } = await runCli(['--version'], { cli });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  const changes = await readFile(join(installed, 'CHANGELOG.md'), 'utf8');
  expect(changes).toContain(`\n## ${stdout.trim()}\n`);
});

test('indexes, serves the widget and pages, and answers with a citation', async () => {
  await using folder = await temporaryFolder();
  const config = await writeConfig(folder.path, {
    server: { port: 0 },
    sites: [{ ...kestrel, docs: { folder: fixtureDocs } }],
  });
  expect(await runCli(['index', '--config', config], { cli })).toMatchObject({ code: 0 });
  const made = await runCli(
    ['keys', 'create', '--assistant', '--site', kestrel.domain, '--config', config],
    { cli },
  );
  const key = /svc_dsc_[A-Za-z0-9_-]{43}/.exec(made.stdout)?.[0];
  await using docent = await serve(config, { cli });
  const loader = await fetch(`${docent.url}/docent.js`);
  expect(loader.headers.get('content-type')).toContain('javascript');
  expect(await loader.text()).toContain('docent');
  const answer = await fetch(`${docent.url}/discovery/v2/assistant/${kestrel.domain}/message`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      fp: 'anonymous',
      messages: [
        { id: '1', role: 'user', parts: [{ type: 'text', text: 'How do I install Kestrel?' }] },
      ],
    }),
  });
  expect(await answer.text()).toContain('"type":"source-url"');
});

test('tells an old Node.js in one line what it needs', async () => {
  const launcher = await readFile(join(installed, 'docent.cjs'), 'utf8');
  // Nothing that Node.js 12 can't read.
  expect(launcher).not.toMatch(/=>|\?\.|\b(const|let|await)\b/);
  const said: string[] = [];
  const process = { versions: { node: '18.19.0' }, version: 'v18.19.0', exitCode: 0 };
  const context = { process, console: { error: (line: string) => said.push(line) } };
  runInContext(launcher.replace(/^#!.*/, ''), createContext(context));
  expect(said).toEqual([
    'docent: Docent needs Node.js 24 or later, and this is v18.19.0. Install a newer one from https://nodejs.org, then run the command again.',
  ]);
  expect(process.exitCode).toBe(1);
});
