/** The npm package, as an owner gets it: built, packed, installed in an empty folder, and used. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAsker } from '../support/ask.ts';
import { runProcess, startCli } from '../support/cli.ts';
import { fixtureDocs, temporaryFolder } from '../support/fixture.ts';
import { waitFor } from '../support/wait-for.ts';

/** What a plugin gives to its generator. */
interface Plugin {
  head?: unknown[];
  injectHtmlTags?: () => { headTags: unknown[] };
  hooks?: {
    'config:setup': (given: {
      config: { head: unknown[] };
      updateConfig: (config: { head: unknown[] }) => void;
    }) => void;
  };
}

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
  const text = ['.js', '.cjs', '.mjs', '.ts', '.css', '.html', '.svg', '.json', '.md', ''];
  expect([...new Set(endings)].filter((each) => !text.includes(each)).toSorted()).toEqual([
    // What the server sends compressed, the hook of MkDocs, and the fonts of the dashboard.
    '.br',
    '.gz',
    '.py',
    '.woff2',
  ]);
  expect(await readFile(join(installed, 'licenses.md'), 'utf8')).toContain('## express');
});

test('says its version, which the changelog has', async () => {
  const { code, stdout } = await runProcess(['--version'], { cli });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  const changes = await readFile(join(installed, 'CHANGELOG.md'), 'utf8');
  expect(changes).toContain(`\n## ${stdout.trim()}\n`);
});

test('one command from a documentation site to an answer with a citation', async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  const settings = join(cwd, '.vitepress/config.mts');
  await cp(fixtureDocs, cwd, { recursive: true });
  await mkdir(join(cwd, '.vitepress'));
  await writeFile(settings, "export default {\n  title: 'Kestrel',\n};\n");
  await writeFile(join(cwd, 'staff.md'), '---\ngroups: [staff]\n---\n\n# For staff\n');
  // The port of the configuration may be in use on this machine.
  await using docent = startCli(['--port', '0'], { cli, cwd });
  const isReady = () => /http:\S+\/preview\/kestrel\b/.exec(docent.output.stdout)?.[0];
  const address = await waitFor('docent start', isReady, 60_000);
  expect(docent.output.stdout).toContain(
    'Wrote docent.config.mjs: VitePress, pages in this folder.',
  );
  expect(docent.output.stderr).not.toMatch(/warning/i);

  // A web site whose name suddenly leads to this computer can't read the pages and their key.
  const rebound = request(address, { headers: { host: 'rebound.example' } }).end();
  const [refused] = (await once(rebound, 'response')) as [IncomingMessage];
  expect(refused.resume().statusCode).toBe(403);
  const home = await (await fetch(address)).text();
  expect(home).toContain('"/install"');
  expect(home).not.toContain('staff');
  // Citations of the site's first page lead there.
  expect((await fetch(`${address}/`)).status).toBe(200);
  const page = await (await fetch(`${address}/install.html`)).text();
  expect(page).toContain('"anchor":"install-on-windows"');
  const { origin } = new URL(address);
  const [, key] = /data-key="(svc_dsc_[\w-]+)"/.exec(home) ?? [];
  const loader = await fetch(`${origin}/docent.js`);
  expect(loader.headers.get('content-type')).toContain('javascript');
  const { ask } = createAsker(origin, { key: key ?? '', domain: 'kestrel' });
  const answer = await ask('How do I install Kestrel?', { headers: { origin } });
  expect(answer.raw).toContain('"url":"/install.html');
  const dashboard = await fetch(origin);
  const [, script = ''] = /src="([^"]+)"/.exec(await dashboard.text()) ?? [];
  const loaded = await fetch(new URL(script, dashboard.url));
  expect(loaded.headers.get('content-type')).toContain('javascript');
  expect(await docent.stop()).toBe(0);

  // The public address is for the server. Here, links stay on this computer.
  const file = join(cwd, 'docent.config.mjs');
  const config = await readFile(file, 'utf8');
  const server = "server: { publicUrl: 'https://acme.example/docent' },";
  await writeFile(file, config.replace('export default {', `export default { ${server}`));
  await using again = startCli(['start', '--port', '0'], { cli, cwd });
  const url = await waitFor(
    'docent start',
    () => /http:\S+\/preview/.exec(again.output.stdout)?.[0],
    60_000,
  );
  const project = await fetch(new URL('/projects/acme', url));
  expect(new URL(project.url).pathname).toMatch(/^\/dashboard\/(projects\/acme|setup)$/);
});

test('init asks before it writes into the site, loses nothing the second time, and its tag can ask', async () => {
  await using folder = await temporaryFolder();
  const cwd = folder.path;
  await mkdir(join(cwd, 'docs'));
  await writeFile(join(cwd, 'docs/index.md'), '# Kestrel\n\nKestrel is a bird. A small falcon.\n');
  const settings = join(cwd, 'mkdocs.yml');
  await writeFile(settings, 'site_name: Kestrel\n');
  const init = async (...args: string[]) => {
    const { code, stdout, stderr } = await runProcess(['init', ...args], { cli, cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  // Nobody can agree without a terminal.
  expect(await init()).toContain(
    'Put the script tag into mkdocs.yml:\n\nhooks:\n  - docent_hook.py',
  );
  expect(await readFile(settings, 'utf8')).toBe('site_name: Kestrel\n');
  const config = await readFile(join(cwd, 'docent.config.mjs'), 'utf8');
  expect(await init('--yes')).toContain('Inserted the script tag: docent_hook.py, mkdocs.yml.');
  const hook = await readFile(join(cwd, 'docent_hook.py'), 'utf8');
  expect(hook).toMatch(/^OPTIONS = \{.*"site":"kestrel","key":"svc_dsc_[\w-]{43}"\}$/m);
  expect(await init('--yes')).toContain('The script tag is in ');
  expect(await readFile(join(cwd, 'docent.config.mjs'), 'utf8')).toBe(config);
  expect(await readFile(join(cwd, 'docent_hook.py'), 'utf8')).toBe(hook);
  expect(await readFile(settings, 'utf8')).toBe(
    'site_name: Kestrel\n\nhooks:\n  - docent_hook.py\n',
  );
  const { stdout } = await runProcess(['keys', 'list', '--json'], { cli, cwd });
  expect(JSON.parse(stdout)).toHaveLength(1);

  // The site's own server may ask with the key of the tag.
  await using docent = startCli(['start', '--port', '0'], { cli, cwd });
  const isReady = () => /(http:\S+)\/preview\/kestrel\b/.exec(docent.output.stdout)?.[1];
  const url = await waitFor('docent start', isReady, 60_000);
  const { ask } = createAsker(url, {
    key: /svc_dsc_[\w-]+/.exec(hook)?.[0] ?? '',
    domain: 'kestrel',
  });
  const answer = await ask('What is Kestrel?', { headers: { origin: 'http://localhost:8000' } });
  expect(answer.text).toContain('A small falcon.');
});

test('has a plugin for each generator', async () => {
  const options = {
    url: 'https://docent.acme.dev/',
    site: 'acme',
    key: 'svc_dsc_x',
    hideOn: ['/a'],
  };
  const load = async (generator: string) => {
    const file = pathToFileURL(join(installed, `plugins/${generator}.js`)).href;
    return ((await import(file)) as { default: (...given: unknown[]) => Plugin }).default;
  };
  const tag = {
    src: 'https://docent.acme.dev/docent.js',
    'data-site': 'acme',
    'data-key': 'svc_dsc_x',
    'data-hide-on': '/a',
  };

  const vitepress = (await load('vitepress'))(options);
  expect(vitepress.head).toEqual([['script', { ...tag, async: '' }]]);
  const docusaurus = (await load('docusaurus'))({}, { id: 'default', ...options });
  expect(docusaurus.injectHtmlTags?.().headTags).toEqual([
    { tagName: 'script', attributes: { ...tag, async: true } },
  ]);
  const starlight = (await load('starlight'))({ ...options, accent: 'teal' });
  let head: unknown;
  starlight.hooks?.['config:setup']({
    config: { head: ['own'] },
    updateConfig: (config) => (head = config.head),
  });
  expect(head).toEqual([
    'own',
    { tag: 'script', attrs: { ...tag, 'data-accent': 'teal', async: true } },
  ]);
  const incomplete = await load('vitepress');
  expect(() => incomplete({ url: options.url })).toThrow(
    /^docent: the plugin needs url, site, and key/,
  );
});

test('tells an old Node.js in one line what it needs', async () => {
  const launcher = await readFile(join(installed, 'docent.cjs'), 'utf8');
  // Nothing that Node.js 12 can't read.
  expect(launcher).not.toMatch(/=>|\?\.|\b(const|let|await)\b/);
  for (const node of ['18.19.0', '24.6.0']) {
    const said: string[] = [];
    const process = { versions: { node }, version: `v${node}`, exitCode: 0 };
    const context = { process, console: { error: (line: string) => said.push(line) } };
    runInContext(launcher.replace(/^#!.*/, ''), createContext(context));
    expect(said).toEqual([
      `docent: Docent needs Node.js 24.7 or later, and this is v${node}. Install a newer one from https://nodejs.org, then run the command again.`,
    ]);
    expect(process.exitCode).toBe(1);
  }
});

test('gives young objects of the server little memory, unless its owner has chosen', async () => {
  const launcher = await readFile(join(installed, 'docent.cjs'), 'utf8');
  const startOver = (env: object) => {
    const started: unknown[] = [];
    const process = {
      versions: { node: '24.7.0' },
      platform: 'linux',
      execPath: '/node',
      argv: ['/node', 'docent.cjs', 'serve', '--config', 'a'],
      execArgv: ['--cpu-prof'],
      env,
      execve: (...command: unknown[]) => started.push(command),
    };
    const serve = () => started.push('the server');
    const code = launcher.replace(/^#!.*/, '').replace("import('./cli.js')", 'serve()');
    runInContext(code, createContext({ process, serve }));
    return started;
  };
  const flags = ['--max-semi-space-size=16', '--cpu-prof', 'docent.cjs', 'serve', '--config', 'a'];
  expect(startOver({})).toEqual([['/node', ['/node', ...flags]]]);
  expect(startOver({ NODE_OPTIONS: '--max-semi-space-size=64' })).toEqual(['the server']);
});
