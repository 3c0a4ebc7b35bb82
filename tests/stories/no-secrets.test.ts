/** What is committed holds nothing of the machine it was made on, and no key. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isText =
  /\.(ts|tsx|mts|js|mjs|cjs|json|jsonl|ya?ml|md|mdx|html|css|svg|txt|sh|toml)$|^[^.]+$|\/run$|rc$/;

async function committed(): Promise<{ file: string; text: string }[]> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], {
    cwd: root,
    maxBuffer: 20_000_000,
  });
  const files = stdout.split('\0').filter((file) => file !== '' && isText.test(file));
  return Promise.all(
    files.map(async (file) => ({
      file,
      // A file may be deleted and not yet committed as such.
      text: await readFile(join(root, file), 'utf8').catch(() => ''),
    })),
  );
}

/** Random enough to be a real one: examples in the documentation spell themselves out. */
function isRandom(text: string): boolean {
  return new Set(text).size >= 16 && /\d/.test(text) && /[a-z]/.test(text) && /[A-Z]/.test(text);
}

const keys: [what: string, pattern: RegExp][] = [
  ['a key of Docent', /\bsvc_(?:dsc_)?([A-Za-z0-9_-]{43})(?![A-Za-z0-9_-])/g],
  ['a key of OpenAI or Anthropic', /\bsk-(?:proj-|ant-)?([A-Za-z0-9_-]{24,})/g],
  ['a token of GitHub', /\bgh[pousr]_([A-Za-z0-9]{36})/g],
  ['a token of npm', /\bnpm_([A-Za-z0-9]{36})/g],
  ['a key of AWS', /\b(AKIA[A-Z0-9]{16})\b/g],
];

test('no machine path', async () => {
  const own = [resolve(root), homedir()].filter((path) => path.length > 5);
  const paths = [...own, '/home/runner', '/Users/', 'C:\\Users'];
  const found = (await committed()).flatMap(({ file, text }) =>
    paths
      .filter((path) => text.includes(path) && file !== 'tests/stories/no-secrets.test.ts')
      .map((path) => `${file}: ${path}`),
  );
  expect(found).toEqual([]);
});

test('no key', async () => {
  const found = (await committed()).flatMap(({ file, text }) =>
    keys.flatMap(([what, pattern]) =>
      [...text.matchAll(pattern)]
        .filter(([, random]) => what.includes('AWS') || isRandom(random ?? ''))
        .map(([match]) => `${file}: ${what} ${match.slice(0, 12)}…`),
    ),
  );
  const privateKeys = (await committed()).filter(({ text }) =>
    /-{5}BEGIN [A-Z ]*PRIVATE KEY-{5}/.test(text),
  );
  expect([...found, ...privateKeys.map(({ file }) => file)]).toEqual([]);
});

test('no registry but the public one, and none in the lock file', async () => {
  const lock = await readFile(join(root, 'pnpm-lock.yaml'), 'utf8');
  expect(lock.match(/tarball:|resolved:|registry\./g)).toBeNull();
  const hosts = (await committed())
    .filter(({ file }) =>
      /(^|\/)(\.npmrc|package\.json|pnpm-workspace\.yaml|setup\.mjs)$/.test(file),
    )
    .flatMap(({ file, text }) =>
      [...text.matchAll(/registry\s*[=:]\s*["']?(https?:\/\/[^\s"']+)/g)].map(
        ([, host]) => `${file}: ${host}`,
      ),
    );
  expect(hosts).toEqual([]);
});

test('no .env, database or log is committed', async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files'], { cwd: root });
  const unwanted =
    /(^|\/)\.env$|\.(db|db-wal|sqlite|log|pem|key)$|(^|\/)(\.docent|node_modules|dist)\//;
  expect(stdout.split('\n').filter((file) => unwanted.test(file))).toEqual([]);
});
