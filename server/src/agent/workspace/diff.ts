/** Changes of files as people and programs read them: lines with highlighted words, or a patch of git's. */
import type { FileDiff } from '@docent/shared/job-pages';
import { diffWordsWithSpace, formatPatch, type StructuredPatch, structuredPatch } from 'diff';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { runAgentTask } from '../run-agent-task.ts';
import { isText } from './text-file.ts';
import type { FileChange as BufferChange } from './tree.ts';

/** A change as a worker gets it, where `Buffer` is a plain array of bytes. */
type FileChange = Omit<BufferChange, 'before' | 'after'> & {
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
};

type DiffHunk = FileDiff['hunks'][number];
type DiffLine = DiffHunk['lines'][number];

const contextLines = 3;
const maxBytes = 1024 * 1024;
const maxTotalBytes = 16 * 1024 * 1024;
/** How different two texts may be before all lines count as changed; more would take seconds. */
const maxEdits = 2_000;
/** Edits of all files of a change together: the time grows with the square of those of one. */
const maxTotalEdits = 6_000;
const maxLines = 6_000;
const maxCharacters = 1_000_000;
const maxWordPairs = 1_000;
const maxWordLineLength = 2_000;
/** How many words two lines may differ in before they are shown as two lines; the time grows with its square. */
const maxWordEdits = 100;
/** A comparison that ends early counts as this many pairs. */
const endedPairCost = 10;
/** Lines that have less than this in common are two lines, not one that was changed. */
const minAlike = 0.35;

export function diffFiles(changes: readonly FileChange[]): FileDiff[] {
  const budget = createBudget();
  let pairsLeft = maxWordPairs;
  let linesLeft = maxLines;
  let charactersLeft = maxCharacters;
  return paired(changes).map((change) => {
    const patch = patchOf(change, budget);
    const hunks = typeof patch === 'string' ? [] : patch.hunks;
    const all = hunks.flatMap(({ lines }) => lines);
    const characters = all.reduce((sum, line) => sum + line.length, 0);
    const isShown = all.length <= linesLeft && characters <= charactersLeft;
    if (isShown) {
      linesLeft -= all.length;
      charactersLeft -= characters;
    }
    const shown = isShown ? hunks.map(toHunk) : [];
    for (const hunk of shown) pairsLeft = highlightWords(hunk.lines, pairsLeft);
    return {
      path: change.path,
      from: change.from,
      kind: change.from === undefined ? change.kind : 'renamed',
      content: typeof patch === 'string' ? patch : isShown ? 'text' : 'too-long',
      added: all.filter((line) => line.startsWith('+')).length,
      removed: all.filter((line) => line.startsWith('-')).length,
      hunks: shown,
    };
  });
}

/** As `git diff` writes it, for `git apply`. */
export function unifiedDiff(changes: readonly FileChange[]): string {
  const budget = createBudget();
  return paired(changes)
    .map((change) => {
      const patch = patchOf(change, budget);
      if (typeof patch !== 'string') return formatPatch(patch);
      const head = formatPatch({ ...headOf(change), hunks: [] });
      const [before, after] = namesOf(change);
      const reason = patch === 'binary' ? '' : ': too large to be shown';
      return `${head}Binary files ${before} and ${after} differ${reason}\n`;
    })
    .join('');
}

/** Of a file that was moved, deletion and addition are one. */
function paired(changes: readonly FileChange[]): FileChange[] {
  const deleted = new Map(
    changes.filter(({ kind }) => kind === 'deleted').map((change) => [change.path, change]),
  );
  const moved = new Set<string>();
  const all = changes.map((change): FileChange => {
    const source = change.from === undefined ? undefined : deleted.get(change.from);
    if (change.kind !== 'added' || !source || moved.has(source.path)) {
      const { from: _, ...rest } = change;
      return rest;
    }
    moved.add(source.path);
    return { ...change, before: source.before };
  });
  return all
    .filter(({ kind, path }) => kind !== 'deleted' || !moved.has(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
}

interface Budget {
  bytes: number;
  edits: number;
}

const createBudget = (): Budget => ({ bytes: maxTotalBytes, edits: maxTotalEdits });

const none = Buffer.alloc(0);
const toBuffer = (bytes: Uint8Array | undefined) =>
  bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : none;

function patchOf(change: FileChange, budget: Budget): StructuredPatch | 'binary' | 'too-large' {
  const [before, after] = [toBuffer(change.before), toBuffer(change.after)];
  if (!isText(before) || !isText(after))
    return before.equals(after) ? emptyPatch(change) : 'binary';
  budget.bytes -= before.length + after.length;
  if (before.length > maxBytes || after.length > maxBytes || budget.bytes < 0) {
    return before.equals(after) ? emptyPatch(change) : 'too-large';
  }
  const edits = Math.min(maxEdits, budget.edits);
  const [old, young] = [before.toString(), after.toString()];
  const patch =
    edits > 0
      ? structuredPatch('', '', old, young, undefined, undefined, {
          context: contextLines,
          maxEditLength: edits,
        })
      : undefined;
  const changed = patch?.hunks.reduce((sum, { lines }) => sum + changedIn(lines), 0);
  budget.edits -= changed ?? edits;
  return { ...headOf(change), hunks: (patch ?? replaced(old, young)).hunks };
}

const changedIn = (lines: readonly string[]) =>
  lines.reduce((sum, line) => sum + (line.startsWith(' ') ? 0 : 1), 0);

/** All lines of the old text, then all of the new one. */
function replaced(before: string, after: string): Pick<StructuredPatch, 'hunks'> {
  const gone = structuredPatch('', '', before, '').hunks;
  const come = structuredPatch('', '', '', after).hunks;
  const lines = [...gone, ...come].flatMap((hunk) => hunk.lines);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  const sizes = { oldLines: count('-'), newLines: count('+') };
  return { hunks: [{ oldStart: 1, newStart: 1, ...sizes, lines }] };
}

function namesOf({ path, from = path, kind }: FileChange): [string, string] {
  return [
    kind === 'added' && from === path ? '/dev/null' : `a/${from}`,
    kind === 'deleted' ? '/dev/null' : `b/${path}`,
  ];
}

function headOf(change: FileChange): Omit<StructuredPatch, 'hunks'> {
  const [oldFileName, newFileName] = namesOf(change);
  return {
    oldFileName,
    newFileName,
    oldHeader: undefined,
    newHeader: undefined,
    isGit: true,
    ...(oldFileName === '/dev/null' && { isCreate: true }),
    ...(newFileName === '/dev/null' && { isDelete: true }),
    ...(change.from !== undefined && { isRename: true }),
  };
}

const emptyPatch = (change: FileChange): StructuredPatch => ({ ...headOf(change), hunks: [] });

function toHunk(hunk: StructuredPatch['hunks'][number]): DiffHunk {
  const { oldStart, oldLines, newStart, newLines } = hunk;
  let [before, after] = [oldStart, newStart];
  const lines: DiffLine[] = [];
  for (const line of hunk.lines) {
    const pieces = [{ text: line.slice(1), isChanged: false }];
    const last = lines.at(-1);
    if (line.startsWith('\\')) {
      if (last) last.isUnended = true;
      continue;
    }
    const kind = line.startsWith('-') ? 'removed' : line.startsWith('+') ? 'added' : 'context';
    lines.push({
      kind,
      pieces,
      before: kind === 'added' ? undefined : before++,
      after: kind === 'removed' ? undefined : after++,
      isUnended: false,
    });
  }
  return {
    beforeStart: oldStart,
    beforeLines: oldLines,
    afterStart: newStart,
    afterLines: newLines,
    lines,
  };
}

/** Each removed line beside the added one that took its place. Gives back how many pairs may still be compared. */
function highlightWords(lines: DiffLine[], pairsLeft: number): number {
  let left = pairsLeft;
  for (let at = 0; at < lines.length;) {
    const removed = run(lines, at, 'removed');
    const added = run(lines, at + removed.length, 'added');
    for (const [index, old] of removed.entries()) {
      const young = added[index];
      if (!young || left <= 0) break;
      left -= highlightPair(old, young) ? 1 : endedPairCost;
    }
    at += Math.max(removed.length + added.length, 1);
  }
  return left;
}

function run(lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(from, end);
}

function highlightPair(old: DiffLine, young: DiffLine): boolean {
  const [before, after] = [old, young].map(({ pieces }) => pieces[0]?.text ?? '') as [
    string,
    string,
  ];
  if (before.length > maxWordLineLength || after.length > maxWordLineLength) return true;
  const words = diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits });
  if (words === undefined) return false;
  const common = words
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  const longer = Math.max(before.trim().length, after.trim().length);
  if (longer === 0 || common / longer < minAlike) return true;
  const side = (is: 'added' | 'removed', not: 'added' | 'removed') =>
    words.filter((word) => !word[not]).map((word) => ({ text: word.value, isChanged: word[is] }));
  old.pieces = side('removed', 'added');
  young.pieces = side('added', 'removed');
  return true;
}

/** Copying more into a worker would block answers. */
const maxCopiedBytes = 32 * 1024 * 1024;

/** What reviewers read of a change, made in a worker. A change that is too much for it has no lines. */
export async function diffInWorker(
  changes: readonly BufferChange[],
  signal?: AbortSignal,
): Promise<FileDiff[]> {
  try {
    return await runAgentTask('diffFiles', bounded(changes), { signal });
  } catch (error) {
    if (!isTooMuch(error)) throw error;
    return changes.map(({ path, from, kind }) => ({
      path,
      from,
      kind,
      content: 'too-large',
      added: 0,
      removed: 0,
      hunks: [],
    }));
  }
}

export const patchInWorker = (changes: readonly BufferChange[], signal?: AbortSignal) =>
  runAgentTask('unifiedDiff', bounded(changes), { signal });

function bounded(changes: readonly BufferChange[]): BufferChange[] {
  let left = maxCopiedBytes;
  return changes.map((change) => {
    left -= (change.before?.length ?? 0) + (change.after?.length ?? 0);
    return left >= 0 ? change : { ...change, before: withoutText, after: withText };
  });
}

/** Two different contents that are no text. */
const withoutText = Buffer.from([0]);
const withText = Buffer.from([0, 0]);
