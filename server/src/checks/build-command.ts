/**
 * Runs a project's own command over the result of a change. It is the repository's code and runs with the
 * rights of this process's user, so it is off unless the owner asks for it: in a folder that is thrown away,
 * without `.git`, without any secret in its environment, and ended with everything it started.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve, sep } from 'node:path';
import type { DocsFiles } from '../files/tree.ts';

export type CommandResult =
  | { kind: 'passed' }
  | { kind: 'failed'; reason: string; output: string }
  /** It could not be run at all. */
  | { kind: 'unable'; reason: string };

interface CommandOptions {
  command: readonly string[];
  timeoutSeconds: number;
  signal?: AbortSignal | undefined;
}

const tailLength = 3_000;
const together = 128;

/** Node’s own folder first, as most commands are `npx …`. */
const searchPath = [
  dirname(process.execPath),
  '/usr/local/bin',
  '/usr/bin',
  '/bin',
  '/opt/homebrew/bin',
].join(':');

export async function runCommand(
  files: DocsFiles,
  options: CommandOptions,
): Promise<CommandResult> {
  const folder = await mkdtemp(join(tmpdir(), 'docent-check-'));
  try {
    const work = join(folder, 'work');
    await writeAll(files, work, options.signal);
    const home = join(folder, 'home');
    await mkdir(home);
    return await run(work, home, options);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function writeAll(
  files: DocsFiles,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(folder);
  const paths = [...files.paths()].filter((path) => !/(^|\/)\.git(\/|$)/i.test(path));
  for (let at = 0; at < paths.length; at += together) {
    signal?.throwIfAborted();
    const read = await files.read(paths.slice(at, at + together), signal);
    for (const [path, bytes] of read) {
      const file = resolve(folder, path);
      if (!file.startsWith(folder + sep)) continue;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
  }
}

async function run(
  folder: string,
  home: string,
  { command, timeoutSeconds, signal }: CommandOptions,
): Promise<CommandResult> {
  signal?.throwIfAborted();
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: searchPath, HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that what it starts ends with it.
    detached: true,
  });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-2 * tailLength);
    });
  }
  let isLate = false;
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutSeconds * 1_000);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((done, fail) => {
      child.once('error', fail);
      // What it left running in the background holds its output open: `exit` is its end, not `close`.
      child.once('exit', (status) => setImmediate(done, status));
    });
    signal?.throwIfAborted();
    if (isLate)
      return {
        kind: 'failed',
        reason: `did not end within ${timeoutSeconds} seconds`,
        output: clean(tail),
      };
    if (code === 0) return { kind: 'passed' };
    return {
      kind: 'failed',
      reason: code === null ? 'was ended by a signal' : `ended with status ${code}`,
      output: clean(tail),
    };
  } catch (error) {
    signal?.throwIfAborted();
    return {
      kind: 'unable',
      reason: (error as NodeJS.ErrnoException).code ?? 'it cannot be started',
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    end();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

function clean(output: string): string {
  return (
    output
      // oxlint-disable-next-line no-control-regex -- colours and cursor movements of terminals
      .replaceAll(/\u001B\[[0-9;?]*[A-Za-z]/g, '')
      .trim()
      .slice(-tailLength)
  );
}
