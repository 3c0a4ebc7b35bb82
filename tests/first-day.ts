/**
 * An owner's first day, from the tarball to an answer on a site of their own:
 *
 *   node tests/first-day.ts [vitepress] [docusaurus] [mkdocs]      after pnpm build
 *
 * Makes a site from each generator's own template, which needs the network, and prints what each step
 * took. Look at the pictures that it names. CI runs the short form, `stories/package.test.ts`.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openBrowser } from './browser/browser.ts';
import { waitFor } from './support/wait-for.ts';

const run = promisify(execFile);
const patienceMs = 120_000;

interface Generator {
  /** Makes the site in the folder. */
  create: (folder: string) => Promise<unknown>;
  /** The command of the development server, and the port that `docent init` expects. */
  serve: (port: string) => string[];
  usualPort: number;
  page: string;
  question: string;
}

const npm = (folder: string, ...args: string[]) =>
  run('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, maxBuffer: 1e8 });

const generators: Record<string, Generator> = {
  vitepress: {
    async create(folder) {
      await writeFile(join(folder, 'package.json'), '{"private":true}');
      await npm(folder, 'install', '--save-dev', 'vitepress');
      await cp(join(folder, 'node_modules/vitepress/template'), folder, { recursive: true });
      const names = await readdir(folder);
      const files = [...names.filter((name) => name.endsWith('.md')), '.vitepress/config.js'];
      // What `vitepress init` fills in, for which it needs a terminal.
      for (const name of files) {
        const file = join(folder, name);
        const filled = (await readFile(file, 'utf8'))
          .replaceAll(/<%= \w+ %>/g, name.endsWith('.js') ? "'My Project'" : 'My Project')
          .replaceAll(/<%[^%]*%>/g, '');
        await writeFile(file, filled);
      }
      await rename(join(folder, '.vitepress/theme'), join(folder, '.vitepress/theme-unused'));
      await rename(join(folder, files.at(-1) ?? ''), join(folder, '.vitepress/config.mjs'));
    },
    serve: (port) => ['npx', 'vitepress', 'dev', '--port', port, '--strictPort'],
    usualPort: 5173,
    page: 'markdown-examples.html',
    question: 'How do I use custom containers?',
  },
  docusaurus: {
    create: (folder) =>
      run('npx', ['--yes', 'create-docusaurus@latest', '.', 'classic', '--typescript'], {
        cwd: folder,
        maxBuffer: 1e8,
      }),
    serve: (port) => ['npx', 'docusaurus', 'start', '--port', port, '--no-open'],
    usualPort: 3000,
    page: 'docs/intro',
    question: 'How do I deploy my site?',
  },
  mkdocs: {
    async create(folder) {
      await run('python3', ['-m', 'venv', '.venv'], { cwd: folder });
      await run('.venv/bin/pip', ['install', '--quiet', 'mkdocs-material'], { cwd: folder });
      await run('.venv/bin/mkdocs', ['new', '.'], { cwd: folder });
      await writeFile(
        join(folder, 'mkdocs.yml'),
        'site_name: My Docs\ntheme:\n  name: material\n  palette:\n    primary: deep purple\n',
      );
    },
    serve: (port) => ['.venv/bin/mkdocs', 'serve', '--dev-addr', `localhost:${port}`],
    usualPort: 8000,
    page: '',
    question: 'How do I create a new project?',
  },
};

const place = await mkdtemp(join(tmpdir(), 'docent-first-day-'));
const dist = fileURLToPath(new URL('../server/dist', import.meta.url));
const { stdout } = await run('npm', ['pack', dist, '--json'], { cwd: place });
const [packed] = JSON.parse(stdout) as { filename: string }[];
const docent = ['npx', '--yes', '--package', join(place, packed?.filename ?? ''), 'docent'];
const wanted = process.argv.slice(2);

for (const [name, generator] of Object.entries(generators)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n${name} (load ${loadavg()[0]?.toFixed(1)})`);
  // oxlint-disable-next-line no-await-in-loop -- each needs the whole machine
  await firstDay(name, generator);
}

async function firstDay(name: string, generator: Generator): Promise<void> {
  const folder = join(place, name);
  await mkdir(folder);
  let last = performance.now();
  const step = (what: string) => {
    const seconds = ((performance.now() - last) / 1000).toFixed(1);
    console.log(`  ${seconds.padStart(6)} s  ${what}`);
    last = performance.now();
  };
  await using processes = createProcesses(folder);
  await generator.create(folder);
  step('a site from the template');

  const [command = '', ...args] = docent;
  await run(command, [...args, 'init', '--yes'], { cwd: folder });
  // Other programs may have the usual ports.
  const ports = { 4320: await freePort(), [generator.usualPort]: await freePort() };
  for (const file of await filesOf(folder)) {
    const text = await readFile(file, 'utf8');
    if (!/svc_dsc_|allowedOrigins/.test(text)) continue;
    let changed = text.replace(
      'export default {\n  sites',
      `export default {\n  server: { port: ${ports[4320]} },\n  sites`,
    );
    for (const [usual, port] of Object.entries(ports))
      changed = changed.replaceAll(`:${usual}`, `:${port}`);
    await writeFile(file, changed);
  }
  step('docent init --yes');

  const said = processes.start([...docent, 'start']);
  await waitFor('docent start', () => said.text.includes('Docent is ready'), patienceMs);
  step('docent start');

  processes.start(generator.serve(String(ports[generator.usualPort])));
  const site = `http://localhost:${ports[generator.usualPort]}/`;
  const isUp = () =>
    fetch(site).then(
      (response) => response.ok,
      () => false,
    );
  await waitFor('the site', isUp, patienceMs);
  step('the site’s own server');

  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.setDefaultTimeout(patienceMs);
    await page.goto(site + generator.page);
    await page.locator('docent-widget [part~=launcher]').click();
    await page.locator('docent-widget [part~=input]').fill(generator.question);
    await page.keyboard.press('Enter');
    const citation = page.locator('docent-widget a.cite').first();
    await citation.waitFor();
    step('an answer with a citation, in Chromium');
    await page.screenshot({ path: join(place, `${name}.png`) });
    await citation.click();
    await page.waitForURL((url) => url.href.startsWith(site) && url.hash !== '');
    step(`the cited section: ${page.url()}`);
  } finally {
    await browser.close();
  }
  const { stdout: doctor } = await run(command, [...args, 'doctor'], { cwd: folder });
  step(`docent doctor: ${doctor.trim().split('\n').at(-1)}`);
  console.log(`  picture: ${join(place, `${name}.png`)}`);
}

/** The files at the top and in the folder of settings: what `docent init` may have written. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await Promise.all(
    [folder, join(folder, '.vitepress')].map((one) =>
      readdir(one, { withFileTypes: true }).catch(() => []),
    ),
  );
  return entries
    .flat()
    .filter((entry) => entry.isFile() && /\.(mjs|ts|mts|py)$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

/** Each in a group of its own: `npx` starts a shell, which starts the program. */
function createProcesses(cwd: string) {
  const all: { pid: number | undefined; closed: Promise<unknown> }[] = [];
  return {
    start([command = '', ...args]: string[]) {
      const child = spawn(command, args, {
        cwd,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const said = { text: '' };
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (data) => (said.text += String(data)));
      }
      all.push({ pid: child.pid, closed: once(child, 'close') });
      return said;
    },
    async [Symbol.asyncDispose]() {
      for (const { pid, closed } of all) {
        if (pid !== undefined) process.kill(-pid, 'SIGTERM');
        await closed;
      }
    },
  };
}
