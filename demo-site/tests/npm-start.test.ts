/** `npm start` as a real child process of npm. Only pnpm and the demo are stand-ins. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const setup = fileURLToPath(new URL('../../setup.mjs', import.meta.url));
const runner = new URL('../src/run-until-stopped.ts', import.meta.url).href;

let folder: string;
let started: ChildProcess[];

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'docent-npm-')));
  started = [];
  const pinned = /pnpm: '([\d.]+)'/.exec(await readFile(setup, 'utf8'))?.[1];
  const pnpm = '.tools/node_modules/pnpm';
  const files = {
    'package.json': JSON.stringify({ scripts: { start: 'node setup.mjs start' } }),
    [`${pnpm}/package.json`]: JSON.stringify({ version: pinned }),
    [`${pnpm}/bin/pnpm.mjs`]: `import { appendFileSync } from 'node:fs';
appendFileSync('pnpm.log', process.argv.slice(2).join(' ') + '\\n');`,
    'demo-site/start.ts': `import { createServer } from 'node:http';
import { runUntilStopped } from ${JSON.stringify(runner)};
const server = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1', () => {
  const siteUrl = 'http://127.0.0.1:' + server.address().port;
  console.log('ready at ' + siteUrl);
  runUntilStopped({ siteUrl, close: async () => server.close() });
});`,
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await copyFile(setup, join(folder, 'setup.mjs'));
});

afterEach(async () => {
  for (const { pid } of started) {
    if (pid === undefined) continue;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // All have ended.
    }
  }
  await rm(folder, { recursive: true, force: true });
});

function npmStart() {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(child);
  const out = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (out.text += text));
  }
  const url = async () => {
    await expect.poll(() => out.text).toMatch(/ready at http\S+/);
    return /ready at (\S+)/.exec(out.text)?.[1] ?? '';
  };
  return { child, out, url };
}

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  );

test.each([
  ['SIGTERM to npm', 'SIGTERM', 1],
  ['Ctrl+C, which goes to all processes of the terminal,', 'SIGINT', -1],
] as const)('%s ends the servers too', async (_what, signal, sign) => {
  const { child, url } = npmStart();
  const address = await url();
  expect(await answers(address)).toBe(true);
  if (child.pid === undefined) throw new Error('npm runs');
  process.kill(sign * child.pid, signal);
  await expect.poll(() => answers(address)).toBe(false);
});

test('a second start says where the first one runs, and builds nothing', async () => {
  const first = npmStart();
  const address = await first.url();
  const built = await readFile(join(folder, 'pnpm.log'), 'utf8');
  expect(built).toBe('install --frozen-lockfile\nrun build\n');

  const second = npmStart();
  const [code] = await once(second.child, 'close');
  expect(code).toBe(1);
  expect(second.out.text).toContain(`Docent is already running at ${address}.`);
  expect(await readFile(join(folder, 'pnpm.log'), 'utf8')).toBe(built);
  expect(await answers(address)).toBe(true);

  first.child.kill('SIGTERM');
  await expect.poll(() => answers(address)).toBe(false);
  expect(await answers(await npmStart().url())).toBe(true);
});
