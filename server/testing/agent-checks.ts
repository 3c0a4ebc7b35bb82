/** Documentation for tests: files as an object, and changes to them. */
import type { ChecksReport } from '@docent/shared/agent-checks';
import { ChecksConfig } from '../src/platform/config/project-config.ts';
import type { DocsFiles, FileChange } from '../src/agent/workspace/tree.ts';
import { checkChange, type ChecksInput } from '../src/agent/checks/check-docs.ts';

export type Files = Record<string, string>;

export function docsFiles(files: ReadonlyMap<string, Buffer>): DocsFiles & { reads: () => number } {
  let reads = 0;
  return {
    paths: () => files.keys(),
    has: (path) => files.has(path),
    async read(paths) {
      reads += paths.length;
      return Promise.resolve(
        new Map(
          paths.flatMap((path) =>
            files.has(path) ? [[path, files.get(path) as Buffer] as const] : [],
          ),
        ),
      );
    },
    reads: () => reads,
  };
}

export const toBytes = (files: Files) =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)] as const));

export interface Edits {
  /** New texts by path. `null` deletes the file. */
  write?: Record<string, string | null>;
  /** New paths by old path. Applied before `write`. */
  move?: Record<string, string>;
}

/** Returns the files after edits, and the changes. */
export function edit(before: ReadonlyMap<string, Buffer>, { write = {}, move = {} }: Edits) {
  const after = new Map(before);
  const from = new Map(Object.entries(move).map(([old, now]) => [now, old]));
  for (const [old, now] of Object.entries(move)) {
    const bytes = after.get(old);
    if (bytes === undefined) throw new Error(`${old} does not exist`);
    after.delete(old);
    after.set(now, bytes);
  }
  for (const [path, text] of Object.entries(write)) {
    if (text === null) after.delete(path);
    else after.set(path, Buffer.from(text));
  }
  const changes: FileChange[] = [];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(path), after.get(path)];
    const origin = from.get(path);
    if (old === now) continue;
    const kind = old === undefined ? 'added' : now === undefined ? 'deleted' : 'modified';
    changes.push({
      path,
      kind,
      before: old,
      after: now,
      ...(origin === undefined ? {} : { from: origin }),
    });
  }
  return { after, changes };
}

interface CheckOptions {
  root?: string;
  checks?: Partial<ChecksConfig>;
}

export async function check(
  files: Files,
  edits: Edits,
  { root = 'docs', checks = {} }: CheckOptions = {},
): Promise<ChecksReport> {
  const before = toBytes(files);
  return checkChange({
    files: changedFiles(before, edits),
    project: { docsRoot: root, checks: ChecksConfig.parse(checks) },
  });
}

/** The files of a job that has made these edits. */
export function changedFiles(
  before: ReadonlyMap<string, Buffer>,
  edits: Edits = {},
): ChecksInput['files'] & { reads: () => number } {
  const { after, changes } = edit(before, edits);
  const [old, now] = [docsFiles(before), docsFiles(after)];
  return {
    original: () => old,
    view: () => now,
    changes: () => Promise.resolve(changes),
    reads: () => old.reads() + now.reads(),
  };
}

/** `path:line found -> instead` of each problem. */
export const short = ({ problems }: ChecksReport) =>
  problems.map(
    ({ check: name, path, line, found, instead }) =>
      `${name} ${path}${line === undefined ? '' : `:${line}`}${found === undefined ? '' : ` ${found}`}${instead === undefined ? '' : ` -> ${instead}`}`,
  );
