/** Commits of a repository at GitHub, written by its Git Data API. */
import { z } from 'zod';
import { chunksOf } from '../../../platform/store/database.ts';
import { isText } from '../../workspace/text-file.ts';
import type { FileChange, Tree } from '../../workspace/tree.ts';
import type { Forge } from '../forge.ts';
import type { Rest } from '../remote/rest.ts';
import type { CommitAuthor } from '../write-commit.ts';

/** Of one request; GitHub gives up on larger ones. */
const maxEntries = 100;
const Written = z.object({ sha: z.string() });
interface Item {
  path: string;
  mode: '100644' | '100755';
  type: 'blob';
  content?: string;
  sha?: string | null;
}

export function createCommits(
  rest: Rest,
  at: string,
  openTree: Forge['openTree'],
  author: CommitAuthor | undefined,
) {
  const write = async (what: string, body: object, signal?: AbortSignal) =>
    (await rest.ask(Written, { method: 'POST', path: `${at}/git/${what}`, body, signal })).sha;

  async function toItem(change: FileChange, parent: Tree, signal?: AbortSignal): Promise<Item> {
    const { path, after, from } = change;
    const old =
      parent.entries.get(path) ?? (from === undefined ? undefined : parent.entries.get(from));
    const mode = old?.mode === '100755' ? '100755' : '100644';
    const item = { path, mode, type: 'blob' } as const;
    if (after === undefined) return { ...item, sha: null };
    if (isText(after)) return { ...item, content: after.toString() };
    const blob = { content: after.toString('base64'), encoding: 'base64' };
    return { ...item, sha: await write('blobs', blob, signal) };
  }

  return {
    async writeCommit({ parent, changes, message }, signal) {
      const Before = z.object({ tree: Written });
      const [tree, before] = await Promise.all([
        openTree(parent, signal),
        rest.ask(Before, { path: `${at}/git/commits/${parent}`, signal }),
      ]);
      let written = before.tree.sha;
      for (const batch of toBatches(changes)) {
        const items: Item[] = [];
        for (const change of batch) items.push(await toItem(change, tree, signal));
        written = await write('trees', { base_tree: written, tree: items }, signal);
      }
      // Without an author, GitHub takes the token's owner, and signs what an App commits.
      const commit = { message, tree: written, parents: [parent], ...(author && { author }) };
      return write('commits', commit, signal);
    },
  } satisfies Partial<Forge>;
}

/** Changes that fit into one request. Deletions come first: a file may take the name of a folder. */
function toBatches(changes: readonly FileChange[]): FileChange[][] {
  const gone = changes.filter(({ kind }) => kind === 'deleted');
  const rest = changes.filter(({ kind }) => kind !== 'deleted');
  const isSwapped = gone.some(({ path }) =>
    rest.some((one) => one.path.startsWith(`${path}/`) || path.startsWith(`${one.path}/`)),
  );
  const groups = isSwapped ? [gone, rest] : [[...gone, ...rest]];
  return groups.flatMap((group) => [...chunksOf(group, maxEntries)]);
}
