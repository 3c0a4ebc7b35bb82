/**
 * What an owner waits for: sizes of the npm package, and the time from `npx` with the tarball to the first
 * answer about a folder of documentation, with an empty and with a full npm cache.
 *
 *   node tests/bench/install.bench.ts [--docs <folder>]      after pnpm build
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const { values } = parseArgs({
  options: { docs: { type: 'string', default: here('../../demo-site/docs') } },
});

const place = await mkdtemp(join(tmpdir(), 'docent-install-'));
try {
  const built = here('../../server/dist');
  const { stdout } = await run('npm', ['pack', built, '--json'], { cwd: place });
  const [packed] = JSON.parse(stdout) as { filename: string; size: number; unpackedSize: number }[];
  if (!packed) throw new Error('npm packed nothing');
  const tarball = join(place, packed.filename);
  const prefix = join(place, 'installed');
  await run('npm', ['install', '--prefix', prefix, '--no-audit', '--no-fund', tarball]);
  const packages = (await readdir(join(prefix, 'node_modules'))).filter((name) => name[0] !== '.');
  const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  console.log(
    `packed ${mb(packed.size)}, installed ${mb(await sizeOf(prefix))}, packages: ${packages.length}`,
  );
  for (const cache of ['empty', 'full'] as const) {
    const load = loadavg()[0]?.toFixed(1);
    const { ready, answered } = await firstAnswer(tarball, cache);
    console.log(
      `npx, ${cache} cache: ready after ${ready} s, first answer after ${answered} s (load ${load})`,
    );
  }
} finally {
  await rm(place, { recursive: true, force: true });
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function firstAnswer(tarball: string, cache: string) {
  const site = join(place, `site-${cache}`);
  await cp(resolve(values.docs), join(site, 'docs'), { recursive: true });
  const started = performance.now();
  const since = () => ((performance.now() - started) / 1000).toFixed(1);
  const args = ['--yes', '--package', tarball, 'docent', 'start', '--port', '0'];
  const child = spawn('npx', args, {
    cwd: site,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    // The same folder for both: the first run fills it.
    env: { ...process.env, npm_config_cache: join(place, 'cache'), NO_COLOR: '1' },
  });
  const closed = once(child, 'close');
  try {
    let said = '';
    let url: string | undefined;
    for await (const chunk of child.stdout) {
      said += String(chunk);
      url = /http:\S+\/preview\/\S+/.exec(said)?.[0];
      if (url !== undefined) break;
    }
    if (url === undefined) throw new Error(`docent start ended: ${said}`);
    const ready = since();
    const page = await (await fetch(url)).text();
    const key = /data-key="(svc_dsc_[\w-]{43})"/.exec(page)?.[1];
    const { origin, pathname } = new URL(url);
    const domain = pathname.slice('/preview/'.length);
    const answer = await fetch(`${origin}/discovery/v2/assistant/${domain}/message`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        fp: 'anonymous',
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'How do I install it?' }] }],
      }),
    });
    if (!(await answer.text()).includes('text-delta')) throw new Error('There was no answer');
    return { ready, answered: since() };
  } finally {
    // npx, its shell, and Docent: a group of their own.
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    await closed;
  }
}
