/** Merges like other hosts: a commit with two parents, written without a checkout. */
import { isAncestor } from '../bare-history.ts';
import type { LocalGit } from './git-in-place.ts';
import type { LocalPull, LocalPulls, Within } from './pulls.ts';

/** The result of the merge button. */
export type MergeResult = 'merged' | 'not-open' | 'draft' | 'branch-gone' | 'moved' | 'conflicts';

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
    if (!at || !(await isAncestor(git.run, { old: at.head, young: at.base }, signal))) return known;
    const baseCommit = await baseBefore(at, signal);
    await pulls.end(known.number, { state: 'merged', headCommit: at.head, baseCommit });
    return (await pulls.read(known.number)) ?? known;
  }

  /** Where the base was before the branch came into it; `undefined`: it was moved forward, without a merge. */
  async function baseBefore({ head, base }: { head: string; base: string }, signal?: AbortSignal) {
    const listed = await git.run(
      ['rev-list', '--ancestry-path', '--merges', '--reverse', '--parents', base, `^${head}`],
      { signal },
    );
    for (const line of listed.toString().split('\n')) {
      const [, before, ...others] = line.split(' ');
      if (others.includes(head)) return before;
    }
    return undefined;
  }

  return {
    pull,
    upToDate,

    /** What would not merge by itself; `undefined`: one of the branches is gone. */
    async mergeability(known: LocalPull, signal?: AbortSignal) {
      const at = await tips(known, signal);
      if (!at) return undefined;
      const { conflicts } = await tryMerge(git, at, signal);
      return { conflicts };
    },

    /** Merges what the person has seen: `seen` is the commit that the page showed. */
    async merge(number: number, seen: string, within?: Within): Promise<MergeResult> {
      for (let attempt = 0; attempt < mergeAttempts; attempt += 1) {
        const known = await pull(number);
        if (known?.state !== 'open') return 'not-open';
        if (known.isDraft) return 'draft';
        const at = await tips(known);
        if (!at) return 'branch-gone';
        const { head, base } = at;
        if (head !== seen) return 'moved';
        const { tree, conflicts } = await tryMerge(git, at);
        if (conflicts.length > 0) return 'conflicts';
        const message = `Merge pull request #${number} from ${known.branch}\n\n${known.title}`;
        const commit = await writeMerge(git, { tree, base, head, message });
        // Somebody pushed in the meantime: try again with their commits.
        if (!(await git.move({ branch: known.base, from: base, to: commit }))) continue;
        const end = { state: 'merged' as const, headCommit: head, baseCommit: base };
        const isNoted = await pulls.end(number, end, within);
        // A reader of the page has recorded the merge in the meantime, but not who merged.
        if (!isNoted && within) await pulls.together(within);
        const merged = await pulls.read(number);
        if (merged) onMerged?.(merged);
        return 'merged';
      }
      return 'moved';
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

/** The tree that both together make, and the paths that both changed. */
async function tryMerge(
  git: LocalGit,
  sides: { base: string; head: string },
  signal?: AbortSignal,
): Promise<{ tree: string; conflicts: string[] }> {
  const merged = await git.run(
    ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', sides.base, sides.head],
    // 1: there are conflicts, and they are listed.
    { answers: [1], signal },
  );
  const [tree = '', ...conflicts] = merged.toString().split('\0').filter(Boolean);
  return { tree, conflicts: [...new Set(conflicts)] };
}

/** Returns the commit. */
async function writeMerge(
  git: LocalGit,
  { tree, base, head, message }: { tree: string; base: string; head: string; message: string },
): Promise<string> {
  const by = `${git.committer} ${Math.floor(Date.now() / 1000)} +0000`;
  const input = `tree ${tree}\nparent ${base}\nparent ${head}\nauthor ${by}\ncommitter ${by}\n\n${message}\n`;
  const written = await git.run(['hash-object', '-t', 'commit', '-w', '--stdin'], { input });
  return written.toString().trim();
}
