/**
 * A bare copy of a repository in the data folder. It has the tree of each commit without history, and only
 * the files that were read. A fetch brings only what is new, and everything stays, so a commit can be read
 * again without the remote.
 */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { retry, type RetryPolicy } from '../network/retry.ts';
import { readRef, GitError, readBlobs, runGit, type RunOnRepository } from './run-git.ts';

export interface Remote {
  url: string;
  protocols: string;
  /** Settings of git for this run only. */
  settings?: Record<string, string> | undefined;
}

/** The number of commits to remember. Fetching an older one again costs next to nothing. */
const maxMarks = 64;
/** More packs slow git down, so they're joined. */
const maxPacks = 50;
/** No fetch takes this long, so the lock's process was killed. */
const staleLockMs = 15 * 60_000;
/** Another process may be fetching into the same copy. */
const whileLockedPolicy: RetryPolicy = { attempts: 20, baseMs: 750, capMs: 1_000 };

const fetchArguments = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head'] as const;

/** The fetches of one copy in this process run one after the other. Git's locks keep other processes away. */
const queues = new Map<string, Promise<unknown>>();

/** What a copy has of each commit: all names of files, and those files that were read. */
const newestFiles = ['--depth=1', '--filter=blob:none'] as const;
/** The commits before it, without files. */
export const historyAlone = ['--filter=tree:0'] as const;

export function createShallowClone(repository: string, scope: readonly string[] = newestFiles) {
  let opened: Promise<void> | undefined;

  /** Without a remote, git reports missing objects instead of fetching them one by one. */
  const run: RunOnRepository = (args, options = {}) =>
    runGit(args, { repository, protocols: 'none', ...options });

  const runWith = (remote: Remote, args: readonly string[], options: Parameters<typeof run>[1]) =>
    run(args, {
      protocols: remote.protocols,
      settings: {
        ...remote.settings,
        // A partial clone fetches only the files that are read.
        'extensions.partialClone': 'origin',
        'remote.origin.url': remote.url,
        'remote.origin.promisor': 'true',
        'remote.origin.partialCloneFilter': 'blob:none',
      },
      ...options,
    });

  async function open(): Promise<void> {
    await mkdir(repository, { recursive: true });
    await whileLocked(() => run(['init', '--quiet', '--bare', '--template=']));
    await removeLeftovers(repository);
  }

  const has = async (commit: string, signal?: AbortSignal): Promise<boolean> =>
    (await readRef(repository, mark(commit), { git: run, signal })) !== undefined;

  async function fetchCommit(remote: Remote, commit: string, signal?: AbortSignal): Promise<void> {
    if (await has(commit, signal)) return;
    await packUp(remote, signal);
    // The ref tells the next fetch what is here already.
    const wanted = `+${commit}:${mark(commit)}`;
    const args = [...fetchArguments, ...scope, 'origin', wanted];
    await whileLocked(() => runWith(remote, args, { signal }), signal);
    await forgetMarks(signal);
  }

  async function fetchBlobs(remote: Remote, oids: readonly string[], signal?: AbortSignal) {
    const missing = await missingOf(oids, signal);
    if (missing.length === 0) return;
    await runWith(
      remote,
      [
        '-c',
        'fetch.negotiationAlgorithm=noop',
        ...fetchArguments,
        '--filter=blob:none',
        '--stdin',
        'origin',
      ],
      { input: `${missing.join('\n')}\n`, signal },
    );
  }

  async function missingOf(oids: readonly string[], signal?: AbortSignal): Promise<string[]> {
    if (oids.length === 0) return [];
    const input = `${[...new Set(oids)].join('\n')}\n`;
    const listed = await run(['cat-file', '--batch-check=%(objectname)'], { input, signal });
    return listed
      .toString()
      .split('\n')
      .flatMap((line) => (line.endsWith(' missing') ? [line.slice(0, -' missing'.length)] : []));
  }

  /**
   * Pushes what the remote lacks. It's asked which commits it has, as its branches may have moved on from the
   * ones that are known here; a remote that can't say gets everything, for which missing files are fetched.
   */
  async function push(remote: Remote, args: readonly string[], signal?: AbortSignal) {
    const settings = { ...remote.settings, 'push.negotiate': 'true' };
    await runWith(
      { ...remote, settings },
      ['push', '--quiet', '--no-verify', '--no-signed', 'origin', ...args],
      { signal },
    );
  }

  async function packUp(remote: Remote, signal?: AbortSignal): Promise<void> {
    const packs = await readdir(join(repository, 'objects', 'pack')).catch(() => []);
    if (packs.filter((name) => name.endsWith('.pack')).length <= maxPacks) return;
    await runWith(remote, ['repack', '-a', '-d', '-q'], { signal });
  }

  async function forgetMarks(signal?: AbortSignal): Promise<void> {
    const folder = join(repository, 'refs/docent');
    // Without locks.
    const marks = (await readdir(folder).catch(() => [])).filter((name) => /^[\da-f]+$/.test(name));
    if (marks.length <= maxMarks) return;
    const times = await Promise.all(
      marks.map(async (name) => ({ name, at: await writtenAtMs(join(folder, name)) })),
    );
    const old = times.toSorted((a, b) => b.at - a.at).slice(maxMarks / 2);
    const input = old.map(({ name }) => `delete refs/docent/${name}\n`).join('');
    await run(['update-ref', '--stdin'], { input, signal });
  }

  function queue<T>(work: () => Promise<T>): Promise<T> {
    const before = queues.get(repository) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.catch(() => undefined);
    queues.set(repository, settled);
    void settled.then(() => {
      if (queues.get(repository) === settled) queues.delete(repository);
    });
    return done;
  }

  const ready = () => (opened ??= queue(open).catch(forget));
  function forget(error: unknown): never {
    opened = undefined;
    throw error;
  }

  return {
    run,
    /** Creates the copy if there is none. Call it first. */
    ready,
    /** Whether the tree of a commit is here. */
    has,

    isComplete: async (oids: readonly string[], signal?: AbortSignal): Promise<boolean> =>
      (await missingOf(oids, signal)).length === 0,

    /** Contents by their IDs, which must be here. */
    read: (oids: readonly string[], signal?: AbortSignal) => readBlobs(run, oids, signal),

    fetchCommit: (remote: Remote, commit: string, signal?: AbortSignal) =>
      queue(() => fetchCommit(remote, commit, signal)),

    /** Marks a commit that was written here: it stays, and its tree is known to be complete. */
    keep: (commit: string, signal?: AbortSignal) =>
      queue(() => run(['update-ref', mark(commit), commit], { signal })),

    push: (remote: Remote, args: readonly string[], signal?: AbortSignal) =>
      queue(() => push(remote, args, signal)),

    fetchBlobs: (remote: Remote, oids: readonly string[], signal?: AbortSignal) =>
      queue(() => fetchBlobs(remote, oids, signal)),

    ask: (remote: Remote, args: readonly string[], signal?: AbortSignal) =>
      runWith(remote, args, { signal }),
  };
}

const mark = (commit: string) => `refs/docent/${commit}`;

const whileLocked = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
  retry(work, {
    policy: whileLockedPolicy,
    isRetryable: (error) =>
      error instanceof GitError &&
      /\.lock'?: File exists|could not lock|cannot lock/.test(error.said),
    signal,
  });

/** Old locks and temporary files of a killed process would stop every later fetch, or fill the disk. */
async function removeLeftovers(repository: string): Promise<void> {
  const places = ['', 'refs/docent', 'objects/pack'];
  for (const place of places) {
    const folder = join(repository, place);
    for (const name of await readdir(folder).catch(() => [])) {
      if (!name.endsWith('.lock') && !name.startsWith('tmp_')) continue;
      const path = join(folder, name);
      if (Date.now() - (await writtenAtMs(path)) > staleLockMs) await rm(path, { force: true });
    }
  }
}

/** When a file was last written, in milliseconds; 0 if it's gone. */
async function writtenAtMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
