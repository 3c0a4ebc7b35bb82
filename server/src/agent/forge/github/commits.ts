/** Commits of a repository at GitHub, written by its Git Data API and compared by it. */
import { JobError } from '../../../platform/errors.ts';
import type { FileChange, Tree } from '../../workspace/tree.ts';
import type { Commit, Forge } from '../forge.ts';
import type { Ground } from './branches.ts';

/** What one call may bring; GitHub gives up on larger ones. */
const maxEntries = 100;
const maxBytes = 4_000_000;
const maxCommits = 250;
const perPage = 100;

interface Item {
  path: string;
  mode: '100644' | '100755';
  type: 'blob';
  content?: string;
  sha?: string | null;
}

export function createCommits(
  parts: Ground & { openTree: (commit: string, signal?: AbortSignal) => Promise<Tree> },
) {
  const { client, place, holder, openTree } = parts;

  /** Both ends, and what `from` has more, oldest first. */
  async function compare(until: string, from: string, page: number, signal?: AbortSignal) {
    const basehead = `${until}...${from}`;
    const { data } = await client.ask(
      (github, request) =>
        github.rest.repos.compareCommitsWithBasehead({
          ...place,
          basehead,
          per_page: perPage,
          page,
          request,
        }),
      {
        holder,
        notFound: () => new JobError('forge_rejected', 'The two commits have nothing in common.'),
      },
      signal,
    );
    return data;
  }

  async function toItem(change: FileChange, parent: Tree, signal?: AbortSignal): Promise<Item> {
    const { path, after, from } = change;
    const old =
      parent.entries.get(path) ?? (from === undefined ? undefined : parent.entries.get(from));
    const mode = old?.mode === '100755' ? '100755' : '100644';
    const item = { path, mode, type: 'blob' } as const;
    if (after === undefined) return { ...item, sha: null };
    const content = textOf(after);
    if (content !== undefined) return { ...item, content };
    const { data } = await client.ask(
      (github, request) =>
        github.rest.git.createBlob({
          ...place,
          content: after.toString('base64'),
          encoding: 'base64',
          request,
        }),
      { holder },
      signal,
    );
    return { ...item, sha: data.sha };
  }

  return {
    /** An empty file that nothing refers to is the least that can be written; GitHub clears it away. */
    async assertWritable(signal) {
      await client.ask(
        (github, request) => github.rest.git.createBlob({ ...place, content: '', request }),
        { holder },
        signal,
      );
    },

    async commitsBetween(until, from, signal) {
      const first = await compare(until, from, 1, signal);
      const pages = Math.ceil(first.ahead_by / perPage);
      const commits: Commit[] = [];
      for (let page = pages; page >= 1 && commits.length < maxCommits; page -= 1) {
        const data = page === 1 ? first : await compare(until, from, page, signal);
        for (const { sha, commit } of data.commits.toReversed()) {
          commits.push({
            id: sha,
            author: commit.author?.name ?? '',
            message: commit.message,
          });
        }
      }
      return commits.slice(0, maxCommits);
    },

    async mergeBase(one, other, signal) {
      const unrelated = new JobError('internal', 'No common commit.');
      try {
        const { data } = await client.ask(
          (github, request) =>
            github.rest.repos.compareCommitsWithBasehead({
              ...place,
              basehead: `${one}...${other}`,
              per_page: 1,
              request,
            }),
          { holder, notFound: () => unrelated },
          signal,
        );
        return data.merge_base_commit.sha;
      } catch (error) {
        if (error === unrelated) return undefined;
        throw error;
      }
    },

    async writeCommit({ parent, changes, message }, signal) {
      const [tree, { data: before }] = await Promise.all([
        openTree(parent, signal),
        client.ask(
          (github, request) => github.rest.git.getCommit({ ...place, commit_sha: parent, request }),
          { holder },
          signal,
        ),
      ]);
      let written = before.tree.sha;
      for (const some of portions(changes)) {
        const items: Item[] = [];
        for (const change of some) items.push(await toItem(change, tree, signal));
        const { data } = await client.ask(
          (github, request) =>
            github.rest.git.createTree({ ...place, base_tree: written, tree: items, request }),
          { holder },
          signal,
        );
        written = data.sha;
      }
      // No author: GitHub takes whose token it is, and signs what an App commits.
      const { data } = await client.ask(
        (github, request) =>
          github.rest.git.createCommit({
            ...place,
            message,
            tree: written,
            parents: [parent],
            request,
          }),
        { holder },
        signal,
      );
      return data.sha;
    },
  } satisfies Partial<Forge>;
}

/** Parts that one call can bring. What goes, goes first: a file may take the name of a folder. */
function portions(changes: readonly FileChange[]): FileChange[][] {
  const gone = changes.filter(({ kind }) => kind === 'deleted');
  const rest = changes.filter(({ kind }) => kind !== 'deleted');
  const isSwapped = gone.some(({ path }) =>
    rest.some((one) => one.path.startsWith(`${path}/`) || path.startsWith(`${one.path}/`)),
  );
  const groups = isSwapped ? [gone, rest] : [[...gone, ...rest]];
  return groups.flatMap((group) => {
    const parts: FileChange[][] = [];
    let bytes = 0;
    for (const change of group) {
      const size = change.after?.length ?? 0;
      const last = parts.at(-1);
      if (last && last.length < maxEntries && bytes + size <= maxBytes) {
        last.push(change);
        bytes += size;
      } else {
        parts.push([change]);
        bytes = size;
      }
    }
    return parts;
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What JSON can carry unchanged. */
function textOf(content: Buffer): string | undefined {
  try {
    return content.includes(0) ? undefined : utf8.decode(content);
  } catch {
    return undefined;
  }
}
