/** The other widgets, from npm into a folder that is kept from run to run. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const cacheFolder = join(tmpdir(), 'docent-bench-peers');

/** Returns where the files of a package are, asked by its name without the version. */
export async function installPeers(
  folder: string,
  packages: string[],
): Promise<(name: string) => string> {
  const places = new Map<string, string>();
  await mkdir(folder, { recursive: true });
  // Only their own files: each brings a build that has its dependencies inside.
  for (const pinned of packages) {
    const target = join(folder, pinned);
    places.set(pinned.replace(/@[^@/]+$/, ''), target);
    if (existsSync(join(target, 'package.json'))) continue;
    const fresh = await mkdtemp(join(folder, 'fresh-'));
    const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', pinned], {
      cwd: fresh,
      timeout: 120_000,
    });
    await run('tar', ['xzf', stdout.trim(), '--strip-components=1'], { cwd: fresh });
    await rm(join(fresh, stdout.trim()));
    await mkdir(dirname(target), { recursive: true });
    await rename(fresh, target);
  }
  return (name) => places.get(name) ?? join(folder, name);
}
