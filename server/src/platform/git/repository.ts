/** A bare, shallow copy of a repository in the data folder. A fetch brings only what is new. */
import { sha256 } from '../hash.ts';
import { trimEndOf } from '../text.ts';
import { lookup } from 'node:dns/promises';
import { isAbsolute, join } from 'node:path';
import { DocentError } from '../errors.ts';
import { isNamedHost, isPublicAddress, notPublicReason, refusalOf } from '../network/addresses.ts';
import { GitError, type RunOnRepository } from './run-git.ts';
import { createShallowClone, historyAlone, type Remote } from './shallow-clone.ts';

export interface RepositoryOptions {
  /** An address, or the path of a repository on this machine. */
  url: string;
  /** Branch, tag, or full ref. The default is the repository's default branch. */
  ref?: string | undefined;
  username: string;
  token?: string | undefined;
  folder: string;
  privateHosts: readonly string[];
  signal?: AbortSignal | undefined;
}

export interface TreeFile {
  path: string;
  oid: string;
}

export async function openRepository(options: RepositoryOptions) {
  const { url, ref, folder, signal } = options;
  const isLocal = isAbsolute(url);
  const name = sha256(url).slice(0, 24);
  const clone = createShallowClone(join(folder, `${name}.git`));
  // The copy of the files knows no commit's parents, and this one no files.
  const history = createShallowClone(join(folder, `${name}-history.git`), historyAlone);
  const remote: Remote = {
    url,
    protocols: isLocal ? 'file' : url.startsWith('https:') ? 'https' : 'https:http:ssh',
    settings: isLocal ? {} : await connectionSettings(options),
  };
  const explained = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw error instanceof GitError ? describe(error, options) : error;
    });
  await explained(clone.ready());

  return {
    /** The commit of the ref. Fetches only its name. */
    async commit(): Promise<string> {
      const wanted = ref ?? 'HEAD';
      const patterns =
        wanted.startsWith('refs/') || wanted === 'HEAD'
          ? [wanted]
          : [`refs/heads/${wanted}`, `refs/tags/${wanted}`, `refs/tags/${wanted}^{}`];
      const asked = clone.ask(remote, ['ls-remote', '--quiet', 'origin', ...patterns], signal);
      const lines = (await explained(asked)).toString().trim().split('\n');
      const found = new Map(lines.map((line) => line.split('\t').toReversed() as [string, string]));
      // A tag with a message is a separate object; `^{}` is its commit.
      const oid = [patterns[0], patterns[2], patterns[1]]
        .map((pattern) => found.get(pattern ?? ''))
        .find((one) => one !== undefined);
      if (oid === undefined || !/^[\da-f]{40,64}$/.test(oid)) {
        throw new DocentError(
          'bad_request',
          `The repository ${shown(url)} has no branch or tag ${wanted}.`,
        );
      }
      return oid;
    },

    /** Its tags with their commits, as the repository lists them: by name. */
    async tags(): Promise<{ name: string; commit: string }[]> {
      const asked = clone.ask(remote, ['ls-remote', '--quiet', '--tags', 'origin'], signal);
      const found = new Map<string, string>();
      for (const line of (await explained(asked)).toString().split('\n')) {
        const [, oid, tag] = /^([\da-f]{40,64})\trefs\/tags\/([^^]+)(?:\^\{\})?$/.exec(line) ?? [];
        // The commit of a tag with a message comes after the tag.
        if (oid !== undefined && tag !== undefined) found.set(tag, oid);
      }
      return [...found].map(([name, commit]) => ({ name, commit }));
    },

    /** Runs git where these commits are, with everything before them and no files. `undefined`: it no longer has one. */
    async history(commits: readonly string[]): Promise<RunOnRepository | undefined> {
      await explained(history.ready());
      for (const commit of commits) {
        try {
          await history.fetchCommit(remote, commit, signal);
        } catch (error) {
          if (error instanceof GitError && /not our ref|unadvertised object/i.test(error.said))
            return undefined;
          throw error instanceof GitError ? describe(error, options) : error;
        }
      }
      return history.run;
    },

    fetch: (commit: string): Promise<void> => explained(clone.fetchCommit(remote, commit, signal)),

    /** The day of a commit, such as `2026-11-22`. */
    async dayOf(commit: string): Promise<string> {
      const shown = await explained(
        clone.run(['rev-list', '--max-count=1', '--format=%cs', commit], { signal }),
      );
      return shown.toString().trim().split('\n').at(-1) ?? '';
    },

    /** The plain files of a commit below a folder, without links and submodules. */
    async files(commit: string, below: string): Promise<TreeFile[]> {
      const path = trimEndOf(below, '/').replace(/^\.?\/+/, '');
      const listed = await explained(
        clone.run(
          ['ls-tree', '-r', '-z', '--full-tree', commit, '--', ...(path ? [`${path}/`] : [])],
          { signal },
        ),
      );
      return listed
        .toString()
        .split('\0')
        .flatMap((line) => {
          const [, oid = '', file = ''] = /^100\d{3} blob ([\da-f]+)\t([\s\S]*)$/.exec(line) ?? [];
          return file ? [{ path: path ? file.slice(path.length + 1) : file, oid }] : [];
        });
    },

    /** The contents of files. Fetches the missing ones together. */
    async read(oids: readonly string[]): Promise<Map<string, Buffer>> {
      await explained(clone.fetchBlobs(remote, oids, signal));
      return explained(clone.read(oids, signal));
    },
  };
}

/** Makes git connect to the checked address, and passes the secret neither on disk nor as an argument. */
async function connectionSettings(options: RepositoryOptions): Promise<Record<string, string>> {
  const { url, username, token, privateHosts } = options;
  const scp = /^[\w.-]+@([\w.-]+):/.exec(url);
  const parsed = new URL(scp ? `ssh://${scp[1] ?? ''}/` : url);
  const refuse = (reason: string) =>
    new DocentError('bad_request', `The repository ${shown(url)} can't be read: ${reason}.`);
  if (!['http:', 'https:', 'ssh:'].includes(parsed.protocol)) {
    throw refuse('its address must start with https://, http:// or ssh://, or be a path');
  }
  if (parsed.protocol !== 'ssh:') {
    // Any port is fine, because the address is in the configuration.
    const reason = refusalOf(parsed, { privateHosts, ports: new Set([parsed.port]) });
    if (reason !== undefined) throw refuse(reason);
  }
  const addresses = await lookup(parsed.hostname.replace(/^\[|\]$/g, ''), { all: true }).catch(
    () => {
      throw new DocentError('unavailable', `The host of ${shown(url)} could not be found.`);
    },
  );
  const isNamed = isNamedHost(parsed, privateHosts);
  if (!isNamed && !addresses.every(({ address }) => isPublicAddress(address))) {
    throw refuse(notPublicReason(parsed));
  }
  if (parsed.protocol === 'ssh:') return {};
  const port = parsed.port || (parsed.protocol === 'https:' ? '443' : '80');
  const [first] = addresses;
  const secret =
    token === undefined ? undefined : Buffer.from(`${username}:${token}`).toString('base64');
  return {
    // A second look-up of the name could lead elsewhere.
    ...(first && { 'http.curloptResolve': `${parsed.hostname}:${port}:${first.address}` }),
    ...(secret !== undefined && {
      [`http.${parsed.origin}/.extraHeader`]: `Authorization: Basic ${secret}`,
    }),
  };
}

function shown(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//');
}

function describe({ said }: GitError, { url, token }: RepositoryOptions): DocentError {
  const clean = token ? said.replaceAll(token, '***') : said;
  const cause = new Error(clean.replaceAll(/\/\/[^/@\s]*@/g, '//').slice(0, 500));
  const at = shown(url);
  const sentence = (code: 'bad_request' | 'unavailable', words: string) =>
    new DocentError(code, words, { cause });
  if (/authentication failed|could not read username|403|401|permission denied/i.test(said)) {
    return sentence(
      'bad_request',
      `The repository ${at} cannot be read without a valid token; name its environment variable in "tokenEnv".`,
    );
  }
  if (
    /not found|does not appear to be a git repository|repository .{0,300} does not exist/i.test(
      said,
    )
  ) {
    return sentence('bad_request', `There is no repository at ${at}, or it is not for this token.`);
  }
  if (/dubious ownership/i.test(said)) {
    return sentence('bad_request', `The repository ${at} belongs to another user of this machine.`);
  }
  return sentence('unavailable', `The repository ${at} could not be read.`);
}
