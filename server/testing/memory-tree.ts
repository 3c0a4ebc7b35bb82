/** A commit's tree that stands nowhere: what is written here is all there is. */
import { createHash } from 'node:crypto';
import type { EntryMode, Tree, TreeEntry } from '../src/agent/workspace/tree.ts';

type Content = string | Buffer | { mode: EntryMode; content?: string };

export function treeOf(files: Record<string, Content>): Tree & { reads: string[][] } {
  const entries = new Map<string, TreeEntry>();
  const contents = new Map<string, Buffer>();
  for (const [path, file] of Object.entries(files)) {
    const isSpecial = typeof file === 'object' && !Buffer.isBuffer(file);
    const content = Buffer.from(isSpecial ? (file.content ?? '') : file);
    const oid = createHash('sha1').update(content).digest('hex');
    entries.set(path, { path, mode: isSpecial ? file.mode : '100644', oid });
    contents.set(path, content);
  }
  const reads: string[][] = [];
  return {
    commit: '1'.repeat(40),
    entries,
    reads,
    read(paths) {
      reads.push([...paths]);
      const found = new Map<string, Buffer>();
      for (const path of paths) {
        const content = contents.get(path);
        if (content && entries.get(path)?.mode.startsWith('100')) found.set(path, content);
      }
      return Promise.resolve(found);
    },
  };
}
