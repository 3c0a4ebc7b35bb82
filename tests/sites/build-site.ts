/** Builds a small site with the real generator, in an environment without questions and reports. */
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import type { RecordedSite } from './sites.ts';

/** Writes the site into an empty folder, and installs its generator there. Throws what the tools say. */
export async function installSite(site: RecordedSite, folder: string) {
  for (const [file, text] of Object.entries(site.files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    CI: '1',
    NO_COLOR: '1',
    NEXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
  };
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const versions: string[] = [];
  if (site.npm) {
    run('npm', 'install', '--silent', '--no-audit', '--no-fund', ...site.npm);
    const listed = JSON.parse(run('npm', 'ls', '--json', '--depth=0')) as {
      dependencies: Record<string, { version: string }>;
    };
    versions.push(
      ...Object.entries(listed.dependencies).map(([name, one]) => `${name} ${one.version}`),
    );
  }
  if (site.pip) {
    run('python3', '-m', 'venv', 'venv');
    env['PATH'] = [join(folder, 'venv/bin'), env['PATH']].join(delimiter);
    run('pip', 'install', '--quiet', '--disable-pip-version-check', ...site.pip);
    const listed = run('pip', 'list', '--format=freeze', '--disable-pip-version-check').split('\n');
    versions.push(
      ...listed
        .map((line) => line.replace('==', ' '))
        .filter((line) => site.pip?.includes(line.split(' ')[0] ?? '')),
    );
  }
  if (site.program !== undefined)
    versions.push(run(site.program, site.versionFlag ?? '--version').trim());
  return {
    versions: versions.toSorted(),
    build: () => {
      const [command = '', ...args] = site.build;
      if (command !== '') run(command, ...args);
    },
  };
}
