import type { FileChange } from '../../workspace/tree.ts';
import { readBlobs } from '../../../platform/git/run-git.ts';
import type { LocalGit } from './git-in-place.ts';

/** What differs between two commits, moved files recognised; `more`: how many files are left out. */
export interface CommitChanges {
  changes: FileChange[];
  more: number;
}

/** Nobody reviews more on one page. */
const maxFiles = 300;
const maxDiffBytes = 64 * 1024 * 1024;

export async function changesBetween(
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
