/**
 * A bare repository on this machine with pull requests of our own: newcomers need no account, and
 * tests no host. Branches move by compare-and-swap, so several processes may share one.
 */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { JobError } from '../../../platform/errors.ts';
import { assertCommitId, assertForward, historyOf, isAncestor } from '../bare-history.ts';
import { openBareTree } from '../bare-tree.ts';
import type { Database } from '../../../platform/store/database.ts';
import { readBlobs } from '../../../platform/git/run-git.ts';
import type { FileChange } from '../../workspace/tree.ts';
import type { Forge, PullRequest } from '../forge.ts';
import { createLocalGit, type LocalGit } from './git-in-place.ts';
import { createMerging } from './merge.ts';
import { createLocalPulls, type LocalPull } from './pulls.ts';
import { type CommitAuthor, writeCommit } from '../write-commit.ts';

export interface LocalForgeDeps {
  database: Database;
  now: () => Date;
  project: string;
  /** The bare repository. */
  path: string;
  /** The address of a pull request's page. */
  pullUrl: (number: number) => string;
  commitAuthor?: CommitAuthor | undefined;
  /** Told after a merge on our page, once the base branch has it. */
  onMerged?: ((pull: LocalPull) => void) | undefined;
}

export type LocalForge = ReturnType<typeof createLocalForge>;

export function createLocalForge(deps: LocalForgeDeps) {
  const { path, pullUrl, onMerged } = deps;
  const git = createLocalGit(path, deps.commitAuthor);
  const pulls = createLocalPulls(deps, deps.project);
  const merging = createMerging({ git, pulls, onMerged });

  async function tip(branch: string, signal?: AbortSignal): Promise<string | undefined> {
    await git.assertThere(signal);
    return git.tip(branch, signal);
  }

  async function show(known: LocalPull, signal?: AbortSignal): Promise<PullRequest> {
    const head = known.headCommit ?? (await git.tip(known.branch, signal)) ?? '';
    return {
      number: known.number,
      url: pullUrl(known.number),
      state: known.state,
      endedAt: known.endedAt,
      isDraft: known.isDraft,
      head: { branch: known.branch, commit: head },
      base: known.base,
      title: known.title,
      body: known.body,
    };
  }

  const forge: Forge = {
    repository: pathToFileURL(path).href,
    tip,
    ...historyOf(async (commits) => {
      commits.forEach(assertCommitId);
      return git.run;
    }),

    async defaultBranch(signal) {
      await git.assertThere(signal);
      const head = await git.run(['symbolic-ref', '--quiet', '--short', 'HEAD'], {
        answers: [1],
        signal,
      });
      const named = head.toString().trim();
      if (named !== '' && (await git.tip(named, signal)) !== undefined) return named;
      // After a first push to a branch of another name HEAD leads nowhere; a single branch is meant.
      const all = await git.run(['for-each-ref', '--format=%(refname:short)', 'refs/heads/'], {
        signal,
      });
      const [only, ...others] = all.toString().split('\n').filter(Boolean);
      if (only !== undefined && others.length === 0) return only;
      throw new JobError(
        'base_branch_missing',
        only === undefined
          ? 'The repository has no commits yet; push the documentation to it first.'
          : `The repository does not say which of its branches is the default one; set "baseBranch" of the project, or HEAD of the repository.`,
      );
    },

    async assertWritable(signal) {
      await git.assertThere(signal);
      await access(join(path, 'objects'), constants.W_OK).catch(() => {
        throw new JobError(
          'forge_forbidden',
          `The repository ${path} cannot be written; give the user that runs the service access to it.`,
        );
      });
    },

    openTree: (commit, signal) => openBareTree(git.run, assertCommitId(commit), signal),

    async writeCommit({ parent, changes, message }, signal) {
      await git.assertThere(signal);
      return writeCommit(git, { parent: assertCommitId(parent), changes, message }, signal);
    },

    createBranch: (branch, commit, signal) =>
      git.move({ branch, from: undefined, to: assertCommitId(commit) }, signal),

    async advanceBranch(branch, { from, to }, signal) {
      await assertForward(git.run, branch, { from, to }, signal);
      return git.move({ branch, from, to }, signal);
    },

    async findPullRequest(branch, signal) {
      const known = await pulls.find(branch);
      return known && show(await merging.upToDate(known, signal), signal);
    },

    async readPullRequest(number, signal) {
      const known = await merging.pull(number, signal);
      return known && show(known, signal);
    },

    async createPullRequest(request, signal) {
      const { branch, base } = request;
      const [from, to] = await Promise.all([tip(branch, signal), tip(base, signal)]);
      if (to === undefined) {
        throw new JobError('base_branch_missing', `The repository has no branch ${base}.`);
      }
      if (from === undefined) {
        throw new JobError('forge_rejected', `The repository has no branch ${branch}.`);
      }
      if (await isAncestor(git.run, { old: from, young: to }, signal)) {
        throw new JobError('forge_rejected', `${branch} has no commits that ${base} doesn't have.`);
      }
      return show(await pulls.create({ ...request, baseCommit: to }), signal);
    },

    async updatePullRequest(number, change, signal) {
      const known = await pulls.update(number, change);
      if (!known) throw new JobError('forge_rejected', `There is no pull request ${number}.`);
      return show(await merging.upToDate(known, signal), signal);
    },
  };
  return {
    ...forge,
    ...merging,
    pulls,
    /** The files that differ between two commits, with their contents. */
    changesBetween: (base: string, head: string, signal?: AbortSignal) =>
      changesBetween(git, assertCommitId(base), assertCommitId(head), signal),
  };
}

/** What differs between two commits, moved files recognised; `more`: how many files are left out. */
interface CommitChanges {
  changes: FileChange[];
  more: number;
}

/** Nobody reviews more on one page. */
const maxFiles = 300;
const maxDiffBytes = 64 * 1024 * 1024;

async function changesBetween(
  git: LocalGit,
  base: string,
  head: string,
  signal?: AbortSignal,
): Promise<CommitChanges> {
  const listed = await git.run(['diff-tree', '-r', '-z', '--raw', '-M', base, head], { signal });
  const all = parseRaw(listed.toString());
  const shown = all.slice(0, maxFiles);
  const oids = shown.flatMap(({ before, after }) => [before, after]).filter((oid) => oid !== none);
  const blobs = await readBlobs(
    (args, options) => git.run(args, { ...options, maxBytes: maxDiffBytes }),
    oids,
    signal,
  );
  const changes = shown.flatMap(({ path, from, before, after }): FileChange[] => {
    const [old, young] = [blobs.get(before), blobs.get(after)];
    if (from !== undefined) {
      return [
        { path: from, kind: 'deleted', before: old, after: undefined },
        { path, kind: 'added', from, before: undefined, after: young },
      ];
    }
    const kind = old === undefined ? 'added' : young === undefined ? 'deleted' : 'modified';
    return [{ path, kind, before: old, after: young }];
  });
  return { changes, more: all.length - shown.length };
}

const none = '';

/** `:<mode> <mode> <id> <id> <status>\0<path>\0`, and the new path behind it where it was moved. */
function parseRaw(raw: string) {
  const fields = raw.split('\0');
  const found: { path: string; from: string | undefined; before: string; after: string }[] = [];
  for (let at = 0; at + 1 < fields.length;) {
    const [, , before = '', after = '', status = ''] = (fields[at] ?? '').split(' ');
    const isMoved = status.startsWith('R');
    const [first = '', second = ''] = fields.slice(at + 1, at + 3);
    at += isMoved ? 3 : 2;
    const oid = (id: string) => (/^0+$/.test(id) ? none : id);
    found.push({
      path: isMoved ? second : first,
      from: isMoved ? first : undefined,
      before: oid(before),
      after: oid(after),
    });
  }
  return found;
}
