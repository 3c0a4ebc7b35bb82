/**
 * Runs git on other people's repositories. It runs nothing that they or this machine's users configured,
 * asks nothing on a terminal, and keeps secrets out of arguments and off the disk.
 */
import { spawn } from 'node:child_process';
import { DocentError } from '../errors.ts';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface GitOptions {
  /** Our own bare repository. */
  repository: string;
  /** Settings for this run only. They're in the environment, which other users can't read. */
  settings?: Record<string, string> | undefined;
  protocols: string;
  input?: string | Buffer | undefined;
  /** Other exit codes than 0 that are a result and not a failure. */
  answers?: readonly number[] | undefined;
  timeoutMs?: number | undefined;
  maxBytes?: number | undefined;
  signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 10 * 60_000;
const defaultMaxBytes = 512 * 1024 * 1024;

const fixedSettings: Record<string, string> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.askPass': '',
  'credential.helper': '',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'fetch.recurseSubmodules': 'false',
  'http.followRedirects': 'false',
  'http.lowSpeedLimit': '1000',
  'http.lowSpeedTime': '60',
  'protocol.ext.allow': 'never',
};

/**
 * The only commands that run here. They read and write objects and refs. Porcelain commands use the files,
 * hooks, filters, and settings of the repository's owner.
 */
export const plumbing: ReadonlySet<string> = new Set([
  'cat-file',
  'diff-tree', // only raw, because a patch may run drivers
  'fast-import',
  'fetch',
  'for-each-ref',
  'hash-object',
  'init',
  'ls-remote',
  'ls-tree',
  'merge-base',
  'merge-tree',
  // Porcelain, but the only one that speaks HTTP: from a bare copy of our own, without its hooks.
  'push',
  'repack',
  'rev-list',
  'rev-parse',
  'symbolic-ref',
  'update-ref',
]);

/** Returns the output of git. Rejects with a `GitError` or with a sentence for people. */
export async function runGit(args: readonly string[], options: GitOptions): Promise<Buffer> {
  const { repository, settings, protocols, input, signal } = options;
  const command = args[0] === '-c' ? args[2] : args[0];
  if (command === undefined || !plumbing.has(command)) {
    throw new Error(`git ${command ?? ''} is not among the commands that are run here.`);
  }
  const timeout = AbortSignal.timeout(options.timeoutMs ?? defaultTimeoutMs);
  const child = spawn('git', [`--git-dir=${repository}`, ...args], {
    env: environmentOf({ ...fixedSettings, ...settings }, protocols),
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    killSignal: 'SIGKILL',
  });
  const out: Buffer[] = [];
  let length = 0;
  let said = '';
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) child.kill('SIGKILL');
    else out.push(chunk);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (said.length < 10_000) said += text;
  });
  // Git may end before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted();
    if (timeout.aborted) throw new DocentError('unavailable', "git didn't finish in time.");
    if (error.code === 'ENOENT') {
      throw new DocentError(
        'unavailable',
        'git is not installed on this machine; sources of the type "git" and agent jobs need it.',
      );
    }
    throw error;
  });
  if (length > maxBytes)
    throw new DocentError('too_large', 'The repository is too large to be read.');
  if (code !== 0 && !(code !== null && options.answers?.includes(code))) throw new GitError(said);
  return Buffer.concat(out);
}

/** The words of git. They may contain addresses, so callers write their own sentence. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly said: string;

  constructor(said: string) {
    super('git failed');
    this.said = said;
  }
}

function environmentOf(settings: Record<string, string>, protocols: string): NodeJS.ProcessEnv {
  const entries = Object.entries(settings);
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_ALLOW_PROTOCOL: protocols,
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o StrictHostKeyChecking=yes',
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

export type RunOnRepository = (
  args: readonly string[],
  options?: Partial<GitOptions>,
) => Promise<Buffer>;

/** Reads contents by their IDs, in one process. */
export async function readBlobs(
  git: RunOnRepository,
  oids: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, Buffer>> {
  const wanted = [...new Set(oids)];
  if (wanted.length === 0) return new Map();
  return parseBatch(
    await git(['cat-file', '--batch'], { input: `${wanted.join('\n')}\n`, signal }),
  );
}

/** `<oid> blob <size>\n<bytes>\n` for each. */
function parseBatch(output: Buffer): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    const [oid = '', , size] = output.toString('latin1', at, end).split(' ');
    const start = end + 1;
    if (size === undefined) throw new Error('git did not give the contents of a file.');
    const length = Number(size);
    found.set(oid, output.subarray(start, start + length));
    at = start + length + 1;
  }
  return found;
}

const objectId = /^[\da-f]{40}(?:[\da-f]{24})?$/;

/**
 * The commit of a ref. Git keeps refs in a file each, or all in `packed-refs`. To read those costs nothing,
 * but every process stops the whole service for as long as it takes to copy its memory. What is kept
 * otherwise is for git to read.
 */
export async function readRef(
  repository: string,
  ref: string,
  { git, signal }: { git: RunOnRepository; signal?: AbortSignal | undefined },
): Promise<string | undefined> {
  signal?.throwIfAborted();
  const kept = isPlainName(ref) ? await readKept(repository, ref) : null;
  if (kept !== null) return kept;
  // The pattern also stands for what lies below it: `docs` is no branch where `docs/a` is one.
  const listed = await git(['for-each-ref', '--format=%(refname) %(objectname)', ref], { signal });
  return listed
    .toString()
    .split('\n')
    .find((line) => line.startsWith(`${ref} `))
    ?.split(' ')[1];
}

/** Nothing that leads out of the folder of refs, or that file systems read in their own way. */
const isPlainName = (ref: string) =>
  /^refs\/[\w./-]+$/.test(ref) && ref.split('/').every((name) => name !== '' && name[0] !== '.');

/** `undefined`: there is no such ref. `null`: it may be kept otherwise. */
async function readKept(repository: string, ref: string): Promise<string | undefined | null> {
  try {
    // Packing a ref writes the list first. So whoever finds no file reads the list after it.
    const id = (await readIfThere(join(repository, ref)))?.trimEnd();
    if (id !== undefined) return objectId.test(id) ? id : null;
    const packed = await readIfThere(join(repository, 'packed-refs'));
    const line = packed?.split('\n').find((each) => each.endsWith(` ${ref}`));
    return line?.slice(0, line.indexOf(' '));
  } catch {
    // For example, `refs/heads` is a file where git keeps refs in tables.
    return null;
  }
}

/** A folder is nothing: `refs/heads/docs` where there is `refs/heads/docs/a`. */
const readIfThere = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'EISDIR') return undefined;
    throw error;
  });
