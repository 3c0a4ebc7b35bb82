/** `pnpm run release`: publishes `dist` as the npm package `docent`. With `--dry-run`, everything but that. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import own from './package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
const isDryRun = values['dry-run'];

const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: root, stdio: 'inherit' });

function require(isTrue: boolean, sentence: string): void {
  if (isTrue) return;
  console.error(`release: ${sentence}`);
  process.exit(1);
}

const changes = readFileSync(`${root}CHANGELOG.md`, 'utf8');
require(changes.includes(
  `\n## ${own.version}`,
), `CHANGELOG.md has no section "## ${own.version}", the version in server/package.json.`);
const unsaved = execFileSync('git', ['status', '--porcelain'], { cwd: root, encoding: 'utf8' });
require(isDryRun || unsaved === '', 'commit your changes first: a release is made from a commit.');

run('pnpm', 'run', 'build');
run('npm', 'publish', './server/dist', '--access', 'public', ...(isDryRun ? ['--dry-run'] : []));
if (!isDryRun) {
  run('git', 'tag', `v${own.version}`);
  console.log(`Published docent ${own.version}. Push the tag: git push origin v${own.version}`);
}
