import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ChecksConfig } from '../config/checks-config.ts';
import { runCommand } from './build-command.ts';
import { checkDocs } from './check-docs.ts';
import { docsFiles, edit, toBytes } from './testing.ts';

const before = toBytes({
  'docs/a.md': '# A\n',
  '.git/config': 'x',
  'docs/.git/hooks/x': 'x',
  'package.json': '{}',
});
const node = (script: string) => [process.execPath, '-e', script];

async function check(
  command: string[],
  text: string,
  options: { seconds?: number; signal?: AbortSignal } = {},
) {
  const { after, changes } = edit(before, { write: { 'docs/a.md': text } });
  return checkDocs({
    before: docsFiles(before),
    after: docsFiles(after),
    changes,
    root: 'docs',
    project: {
      checks: ChecksConfig.parse({ command, commandTimeoutSeconds: options.seconds ?? 30 }),
    },
    signal: options.signal,
  });
}

const failsOnBroken = node(
  "if (require('fs').readFileSync('docs/a.md', 'utf8').includes('broken')) { console.log('\\u001b[31mpage a is broken\\u001b[0m'); process.exit(3) }",
);

test('what it says comes back, where the change is to blame', async () => {
  const report = await check(failsOnBroken, '# broken\n');
  expect(report.problems).toEqual([
    {
      check: 'command',
      path: '.',
      severity: 'error',
      message: `The command "${failsOnBroken.join(' ')}" ended with status 3. The end of what it wrote:\npage a is broken`,
    },
  ]);
  expect(report.checks.at(-1)).toEqual({ name: 'command', status: 'failed', note: '1 new' });
});

test('it passes', async () => {
  const report = await check(failsOnBroken, '# good\n');
  expect(report.checks.at(-1)).toEqual({ name: 'command', status: 'passed' });
});

test('a command that fails anyway blames nobody', async () => {
  const report = await check(node('process.exit(1)'), '# good\n');
  expect([report.problems, report.old]).toEqual([[], 1]);
  expect(report.checks.at(-1)).toMatchObject({ status: 'skipped' });
});

test('a command that cannot be started is an error, not a pass', async () => {
  const report = await check(['no-such-program-anywhere'], '# good\n');
  expect(report.problems[0]?.message).toContain('could not be started (ENOENT)');
});

test('it sees the files and no secret, no .git', async () => {
  vi.stubEnv('DOCS_GITHUB_TOKEN', 'canary');
  const script = node(
    "console.log(JSON.stringify([Object.keys(process.env).filter((k) => !k.startsWith('__')).sort(), require('fs').readdirSync('.', { recursive: true }).sort()])); process.exit(1)",
  );
  const result = await runCommand(docsFiles(before), { command: script, timeoutSeconds: 30 });
  vi.unstubAllEnvs();
  if (result.kind !== 'failed') throw new Error(result.kind);
  expect(JSON.parse(result.output)).toEqual([
    ['HOME', 'LANG', 'PATH', 'TMPDIR'],
    ['docs', 'docs/a.md', 'package.json'],
  ]);
});

/** Has ended, or waits only for its parent to take notice of it. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

test('it ends with all that it started, in time and when it is told to; nothing is left behind', async () => {
  const notes = mkdtempSync(join(tmpdir(), 'docent-test-'));
  const start = (note: string) =>
    node(
      `const child = require('child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
       require('fs').writeFileSync(${JSON.stringify(note)}, JSON.stringify([child.pid, process.cwd()]));
       setInterval(() => {}, 1000)`,
    );
  const read = (note: string) => JSON.parse(readFileSync(note, 'utf8')) as [number, string];

  const late = join(notes, 'late');
  const result = await runCommand(docsFiles(before), { command: start(late), timeoutSeconds: 3 });
  expect(result).toMatchObject({ kind: 'failed', reason: 'did not end within 3 seconds' });
  const [lateChild, lateFolder] = read(late);
  await expect.poll(() => hasEnded(lateChild)).toBe(true);
  expect(existsSync(lateFolder)).toBe(false);

  const told = join(notes, 'told');
  const controller = new AbortController();
  const options = { command: start(told), timeoutSeconds: 60, signal: controller.signal };
  const running = runCommand(docsFiles(before), options);
  await expect.poll(() => existsSync(told) && readFileSync(told, 'utf8')).toBeTruthy();
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
  const [toldChild, toldFolder] = read(told);
  await expect.poll(() => hasEnded(toldChild)).toBe(true);
  expect(existsSync(toldFolder)).toBe(false);
  rmSync(notes, { recursive: true });
});
