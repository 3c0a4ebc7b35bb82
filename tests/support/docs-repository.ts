import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { temporaryFolder } from './fixture.ts';
import { branchesOf, readRef } from './read-ref.ts';

/** A file's text or bytes; `null` removes it. Other modes are for links, programs and submodules. */
export type FileInput =
  | string
  | Buffer
  | null
  | { mode: '100755' | '120000'; content: string }
  | { mode: '160000'; commit: string };

type Files = Record<string, FileInput>;

interface CommitOptions {
  /** `main` where it is left out. A new branch begins at `main`. */
  branch?: string;
  /** Begins anew, without any history. */
  isOrphan?: boolean;
  /** When; else, a minute after the one before. */
  seconds?: number;
}

export type DocsRepository = Awaited<ReturnType<typeof makeRepository>>;

const settings = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
[uploadpack]
	# What a server of git has to allow for partial clones.
	allowFilter = true
	allowAnySHA1InWant = true
[receive]
	autogc = false
`;

/** Runs git as nobody in particular: no settings of this machine, no hooks, no clock. */
async function git(path: string, args: string[], input: string | Buffer = ''): Promise<Buffer> {
  const child = spawn('git', [`--git-dir=${path}`, '-c', 'core.hooksPath=/dev/null', ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      LC_ALL: 'C',
    },
  });
  const out: Buffer[] = [];
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed: ${said}`);
  return Buffer.concat(out);
}

/**
 * A bare repository on disk for one test, removed when the test gives it back. Its author is a person
 * of the tests', one commit is a minute after the other, and so the same files have the same commit ids.
 */
export async function makeRepository(
  files: Files,
  options: { branch?: string; path?: string } = {},
) {
  const temporary = options.path === undefined ? await temporaryFolder() : undefined;
  const path = options.path ?? join(temporary?.path ?? '', 'docs.git');
  const main = options.branch ?? 'main';
  let commits = 0;
  // As `git init --bare` makes one, without a process.
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
    await mkdir(join(path, folder), { recursive: true });
  }
  await writeFile(join(path, 'HEAD'), `ref: refs/heads/${main}\n`);
  await writeFile(join(path, 'config'), settings);

  const tip = (branch = main) => readRef(path, `refs/heads/${branch}`);

  async function commit(
    changes: Files,
    message = 'Change the docs',
    { branch = main, isOrphan = false, seconds: at }: CommitOptions = {},
  ): Promise<string> {
    const parent = isOrphan ? undefined : ((await tip(branch)) ?? (await tip()));
    const isFirst = parent === undefined && commits === 0;
    const seconds = at ?? 1_790_000_000 + 60 * commits;
    commits += 1;
    const parts: (string | Buffer)[] = [
      isOrphan ? `reset refs/heads/${branch}\n\n` : '',
      `commit refs/heads/${branch}\n`,
      `committer Dana Docs <dana@docs.example> ${seconds} +0000\n`,
      ...dataOf(message),
      parent === undefined ? '' : `from ${parent}\n`,
      ...Object.entries(changes).flatMap(([file, input]) => lineOf(file, input)),
      '\n',
    ];
    const stream = Buffer.concat(parts.map((part) => Buffer.from(part)));
    await (isFirst ? importFirst(path, stream) : importCommit(path, stream));
    return (await tip(branch)) ?? '';
  }

  if (Object.keys(files).length > 0) await commit(files, 'Begin the docs');

  return {
    path,
    commit,
    /** The commit that a branch is at; `undefined` where there is no such branch. */
    tip,
    /** Runs git in it: whatever a test wants to know besides. */
    git: async (...args: string[]) => (await git(path, args)).toString().trimEnd(),
    /** The names of its branches. */
    branches: () => branchesOf(path),
    /** The paths in a branch or commit. */
    files: async (at = main) =>
      (await git(path, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', at]))
        .toString()
        .split('\0')
        .filter(Boolean),
    /** The text of one file; `undefined` where there is none. */
    read: async (file: string, at = main) => {
      const found = await git(path, ['cat-file', '--batch'], `${at}:${file}\n`);
      const end = found.indexOf('\n');
      if (found.toString('utf8', 0, end).endsWith(' missing')) return undefined;
      return found.toString('utf8', end + 1, found.length - 1);
    },
    /** Id, author and message of a branch's commits, newest first. */
    log: async (branch = main) =>
      (await git(path, ['log', '-z', '--format=%H%n%an%n%B', branch]))
        .toString()
        .split('\0')
        .filter(Boolean)
        .map((entry) => {
          const [id = '', author = '', ...message] = entry.split('\n');
          return { id, author, message: message.join('\n').trimEnd() };
        }),
    async [Symbol.asyncDispose]() {
      await temporary?.[Symbol.asyncDispose]();
    },
  };
}

const importCommit = (path: string, stream: Buffer) =>
  git(path, ['fast-import', '--quiet', '--force', '--date-format=raw'], stream);

/** By the hash of what is imported: the files that git made of it. */
const imported = new Map<string, [file: string, bytes: Buffer][]>();

/** Most tests begin with the same files as others: git makes their first commit once in a process. */
async function importFirst(path: string, stream: Buffer): Promise<void> {
  const key = createHash('sha256').update(stream).digest('hex');
  const known = imported.get(key);
  if (!known) {
    await importCommit(path, stream);
    if (stream.length < 100_000) imported.set(key, await readFiles(path));
    return;
  }
  for (const [file, bytes] of known) {
    await mkdir(join(path, dirname(file)), { recursive: true });
    await writeFile(join(path, file), bytes);
  }
}

async function readFiles(path: string): Promise<[file: string, bytes: Buffer][]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(path, file), await readFile(file)] as [string, Buffer];
    }),
  );
}

function lineOf(file: string, input: FileInput): (string | Buffer)[] {
  const name = `"${file.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  if (input === null) return [`D ${name}\n`];
  if (typeof input === 'string' || Buffer.isBuffer(input)) {
    return [`M 100644 inline ${name}\n`, ...dataOf(input)];
  }
  if (input.mode === '160000') return [`M 160000 ${input.commit} ${name}\n`];
  return [`M ${input.mode} inline ${name}\n`, ...dataOf(input.content)];
}

function dataOf(content: string | Buffer): (string | Buffer)[] {
  const bytes = Buffer.from(content);
  return [`data ${bytes.length}\n`, bytes, '\n'];
}
