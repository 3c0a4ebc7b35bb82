/** Merges like other hosts: a commit with two parents, written without a checkout. */
import type { LocalGit } from './git-in-place.ts';
import type { LocalPull, LocalPulls, Within } from './pulls.ts';

/** The result of the merge button. */
export type MergeResult =
  | { isMerged: true; commit: string }
  | { isMerged: false; why: 'not-open' | 'draft' | 'branch-gone' | 'moved' }
  | { isMerged: false; why: 'conflicts'; paths: string[] };

export interface MergingDeps {
  git: LocalGit;
  pulls: LocalPulls;
  onMerged: ((pull: LocalPull) => void) | undefined;
}

const mergeAttempts = 5;

export function createMerging({ git, pulls, onMerged }: MergingDeps) {
  /** A pull request with its row up to date: somebody may have merged it with git. */
  async function pull(number: number, signal?: AbortSignal): Promise<LocalPull | undefined> {
    const known = await pulls.read(number);
    return known && upToDate(known, signal);
  }

  async function tips(known: LocalPull, signal?: AbortSignal) {
    const [head, base] = await Promise.all([
      git.tip(known.branch, signal),
      git.tip(known.base, signal),
    ]);
    return head === undefined || base === undefined ? undefined : { head, base };
  }

  /** Updates the row if the branches show a merge: by git, or by a process that died before it wrote the row. */
  async function upToDate(known: LocalPull, signal?: AbortSignal): Promise<LocalPull> {
    if (known.state !== 'open') return known;
    const at = await tips(known, signal);
    if (!at || !(await git.isAncestor(at.head, at.base, signal))) return known;
    const merge = await mergeOf(at, signal);
    await pulls.end(known.number, { state: 'merged', headCommit: at.head, ...merge });
    return (await pulls.read(known.number)) ?? known;
  }

  /** The commit that brought a branch into another, and what was there before. */
  async function mergeOf({ head, base }: { head: string; base: string }, signal?: AbortSignal) {
    const listed = await git.run(
      ['rev-list', '--ancestry-path', '--merges', '--reverse', '--parents', base, `^${head}`],
      { signal },
    );
    for (const line of listed.toString().split('\n')) {
      const [mergedCommit, baseCommit, ...others] = line.split(' ');
      if (others.includes(head)) return { mergedCommit, baseCommit };
    }
    // The base was moved forward to it, without a merge.
    return { mergedCommit: head };
  }

  return {
    pull,
    upToDate,

    /** What would not merge by itself; `undefined`: one of the branches is gone. */
    async mergeability(known: LocalPull, signal?: AbortSignal) {
      const at = await tips(known, signal);
      if (!at) return undefined;
      const { conflicts = [] } = await tryMerge(git, at, signal);
      return { conflicts };
    },

    /** Merges what the person has seen: `seen` is the commit that the page showed. */
    async merge(number: number, seen: string, within?: Within): Promise<MergeResult> {
      for (let attempt = 0; attempt < mergeAttempts; attempt += 1) {
        const known = await pull(number);
        if (known?.state !== 'open') return { isMerged: false, why: 'not-open' };
        if (known.isDraft) return { isMerged: false, why: 'draft' };
        const at = await tips(known);
        if (!at) return { isMerged: false, why: 'branch-gone' };
        const { head, base } = at;
        if (head !== seen) return { isMerged: false, why: 'moved' };
        const { tree, conflicts } = await tryMerge(git, at);
        if (conflicts) return { isMerged: false, why: 'conflicts', paths: conflicts };
        const message = `Merge pull request #${number} from ${known.branch}\n\n${known.title}`;
        const commit = await writeMerge(git, { tree, base, head, message });
        // Somebody pushed in the meantime: try again with their commits.
        if (!(await git.move(known.base, { from: base, to: commit }))) continue;
        const end = { headCommit: head, baseCommit: base, mergedCommit: commit };
        const isNoted = await pulls.end(number, { state: 'merged', ...end }, within);
        // A reader of the page has recorded the merge in the meantime, but not who merged.
        if (!isNoted && within) await pulls.together(within);
        const merged = await pulls.read(number);
        if (merged) onMerged?.(merged);
        return { isMerged: true, commit };
      }
      return { isMerged: false, why: 'moved' };
    },

    /** `false`: it is not open. */
    async close(number: number, within?: Within): Promise<boolean> {
      const known = await pull(number);
      if (known?.state !== 'open') return false;
      return pulls.end(
        number,
        { state: 'closed', headCommit: await git.tip(known.branch) },
        within,
      );
    },

    /** `false`: it is not closed, its branch is gone, or the branch has another one. */
    async reopen(number: number, within?: Within): Promise<boolean> {
      const known = await pulls.read(number);
      if (!known || (await git.tip(known.branch)) === undefined) return false;
      return pulls.reopen(number, within);
    },
  };
}

type Mergeability =
  /** The tree that both together make. */
  | { tree: string; conflicts?: undefined }
  /** Paths that both changed. */
  | { tree?: undefined; conflicts: string[] };

async function tryMerge(
  git: LocalGit,
  sides: { base: string; head: string },
  signal?: AbortSignal,
): Promise<Mergeability> {
  const merged = await git.run(
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', sides.base, sides.head],
    // 1: there are conflicts, and they are listed.
    { answers: [1], signal },
  );
  const [tree = '', ...conflicts] = merged.toString().split('\0').filter(Boolean);
  return conflicts.length > 0 ? { conflicts: [...new Set(conflicts)] } : { tree };
}

async function writeMerge(
  git: LocalGit,
  merge: { tree: string; base: string; head: string; message: string },
  signal?: AbortSignal,
): Promise<string> {
  const { tree, base, head, message } = merge;
  const seconds = Math.floor(Date.now() / 1000);
  const bytes = [
    `tree ${tree}\nparent ${base}\nparent ${head}\n`,
    `author ${git.committer} ${seconds} +0000\ncommitter ${git.committer} ${seconds} +0000\n`,
    `\n${message}\n`,
  ].join('');
  const written = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], {
    input: bytes,
    signal,
  });
  return written.toString().trim();
}
