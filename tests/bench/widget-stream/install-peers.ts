/** The other widgets, from npm into a folder that is gone afterwards. */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export async function installPeers(folder: string, packages: string[]): Promise<void> {
  // Only their own files: each brings a build that has its dependencies inside.
  for (const name of packages) {
    const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', name], {
      cwd: folder,
    });
    const target = join(folder, name.replace(/@[^@/]+$/, ''));
    await mkdir(target, { recursive: true });
    await run('tar', ['xzf', join(folder, stdout.trim()), '-C', target, '--strip-components=1']);
  }
}
