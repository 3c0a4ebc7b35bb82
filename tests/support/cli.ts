import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocentConfig } from '@docent/server/docent';
import { endOfRun } from './cli-runner.ts';
import { waitFor } from './wait-for.ts';

/** The command line as an admin runs it: what `build-server.ts` built; from its source where nothing did. */
const cliFile =
  process.env['DOCENT_TEST_CLI'] ??
  fileURLToPath(new URL('../../server/src/main.ts', import.meta.url));

/** Compiled sources of the last run; a command then starts in two thirds of the time. */
const compileCache = fileURLToPath(
  new URL('../../node_modules/.cache/docent-tests', import.meta.url),
);

const runnerFile = fileURLToPath(new URL('cli-runner.ts', import.meta.url));

export interface CliRun {
  code: number | null;
  stdout: string;
  stderr: string;
}

interface CliOptions {
  /** Another build of the command line. */
  cli?: string;
  env?: Record<string, string>;
  cwd?: string;
}

type RunnerOptions = Omit<CliOptions, 'cli'>;

export async function writeConfig(folder: string, config: DocentConfig | object): Promise<string> {
  const file = join(folder, 'docent.config.json');
  await writeFile(file, JSON.stringify(config, null, 2));
  return file;
}

const environment = {
  PATH: process.env['PATH'],
  NODE_NO_WARNINGS: '1',
  NODE_COMPILE_CACHE: compileCache,
};

function start(
  args: string[],
  { cli = cliFile, env, cwd }: CliOptions,
): { child: ChildProcess; output: CliRun } {
  const child = spawn(process.execPath, [cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...environment, ...env },
    ...(cwd !== undefined && { cwd }),
  });
  const output: CliRun = { code: null, stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, output };
}

/** Runs a command to its end, in a process of its own. */
export async function runProcess(args: string[], options: CliOptions = {}): Promise<CliRun> {
  const { child, output } = start(args, options);
  const [code] = (await once(child, 'close')) as [number | null];
  return { ...output, code };
}

let runner: ReturnType<typeof startRunner> | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command to its end, one after the other in one process that has loaded everything before
 * (`cli-runner.ts`): that is most of what a short command costs.
 */
export function runCli(args: string[], options: RunnerOptions = {}): Promise<CliRun> {
  const run = last.then(() => runInRunner(args, options));
  last = run.catch(() => undefined);
  return run;
}

async function runInRunner(args: string[], { env, cwd }: RunnerOptions): Promise<CliRun> {
  runner ??= startRunner();
  const { child, closed } = runner;
  const output: CliRun = { code: null, stdout: '', stderr: '' };
  using listeners = new DisposableStack();
  const read = (name: 'stdout' | 'stderr') =>
    new Promise<void>((resolve) => {
      const hear = (text: string) => {
        output[name] += text;
        if (output[name].endsWith(endOfRun)) resolve();
      };
      child[name]?.on('data', hear);
      listeners.defer(() => child[name]?.off('data', hear));
    });
  const ended = Promise.all([once(child, 'message'), read('stdout'), read('stderr')]);
  child.send({ args, env: { ...environment, ...env }, cwd: cwd ?? process.cwd() });
  const code = await Promise.race([
    ended.then(([[message]]) => message as number),
    closed.then(([status]) => {
      runner = undefined;
      return status as number | null;
    }),
  ]);
  const withoutEnd = (text: string) => text.replace(endOfRun, '');
  return { code, stdout: withoutEnd(output.stdout), stderr: withoutEnd(output.stderr) };
}

/** It goes with this process. */
function startRunner() {
  const child = spawn(process.execPath, [runnerFile, cliFile], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: environment,
  });
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  return { child, closed: once(child, 'close') };
}

/** Starts a command that runs until it's stopped. */
export function startCli(args: string[], options: CliOptions = {}) {
  const { child, output } = start(args, options);
  const closed = once(child, 'close').then(([code]) => code as number | null);
  return {
    output,
    stop() {
      child.kill('SIGTERM');
      return closed;
    },
    kill() {
      child.kill('SIGKILL');
      return closed;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await closed;
    },
  };
}

/** Several at once on a busy machine need a while. */
const startMs = 45_000;

/** Runs `docent serve` as a process of its own, and waits until it is ready. */
export async function serve(configFile: string, options: CliOptions = {}) {
  const { child, output } = start(['serve', '--config', configFile], options);
  const closed = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as string | null,
  }));
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const isListening = () => {
    if (!isRunning()) throw new Error(`The server ended: ${output.stderr}`);
    return /"url":"(http:[^"]+)"/.exec(output.stderr)?.[1];
  };
  const url = await waitFor('the server to say where it listens', isListening, startMs);
  await waitFor('/readyz', async () => (await fetch(`${url}/readyz`)).status === 200);
  return {
    url,
    output,
    closed,
    pid: child.pid,
    /** Ends this process and no other: it is known by its pid. */
    kill(signal: 'SIGKILL' | 'SIGTERM') {
      child.kill(signal);
      return closed;
    },
    async [Symbol.asyncDispose]() {
      if (isRunning()) child.kill('SIGKILL');
      await closed;
    },
  };
}
