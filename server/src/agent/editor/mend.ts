/** Mends what the checks find, as far as they say what to write; names the rest. */
import type { DocsProblem } from '@docent/shared/agent-checks';
import { posix } from 'node:path';
import { pageEnding } from './find-page.ts';
import { addEntry, removeEntry, replaceEntry } from './edit-navigation.ts';
import { type Span, toEdits } from './edit-text.ts';
import { attempt, type Hands } from './hands.ts';

export interface Wishes {
  /** Pages that were deleted: links to them lead to another one, or become plain text. */
  deleted?: ReadonlySet<string>;
  /** That other one. */
  leadTo?: string | undefined;
  /** Where a new page comes in the navigation: after which one. */
  after?: ReadonlyMap<string, string>;
  /** Neighbours of a new page, nearest first. */
  siblings?: ReadonlyMap<string, readonly string[]>;
  titles?: ReadonlyMap<string, string>;
}

export interface Mended {
  /** Files that were changed. */
  paths: Set<string>;
  count: number;
  left: DocsProblem[];
  /** What a tool refused. */
  refused: string[];
}

/** Mending one thing can bring up another; after so many times it is enough. */
const rounds = 10;

export async function mend(
  hands: Hands,
  wishes: Wishes = {},
  everything?: { glob: string | undefined },
): Promise<Mended> {
  const mended: Mended = { paths: new Set(), count: 0, left: [], refused: [] };
  for (let round = 0; ; round += 1) {
    const checked = await hands.check(everything);
    const problems = checked.problems.map((problem) => led(problem, wishes));
    mended.left = problems;
    const repairs = problems.filter((problem) => isRepairable(problem, wishes));
    if (repairs.length === 0 || round === rounds || mended.refused.length > 0) return mended;
    const byPath = Map.groupBy(repairs, (problem) => fileOf(problem));
    const counts = await Promise.all(
      [...byPath].map(([path, own]) => mendFile(path, own, hands, wishes, mended)),
    );
    const count = counts.reduce((sum, one) => sum + one, 0);
    mended.count += count;
    if (count === 0) return mended;
  }
}

const isUnlisted = ({ check, severity }: DocsProblem) =>
  check === 'navigation' && severity === 'warning';

const deletedTarget = ({ message }: DocsProblem) =>
  /(?:^|[.] )(\S+) was deleted: /.exec(message)?.[1];

/** A link to a page that is gone leads to the one that takes its place, written from where it stands. */
function led(problem: DocsProblem, { leadTo }: Wishes): DocsProblem {
  const { found, instead, path } = problem;
  const target = deletedTarget(problem);
  if (leadTo === undefined || target === undefined || found === undefined || instead !== undefined)
    return problem;
  const address = found.replace(/[?#].*$/s, '');
  const hasEnding = pageEnding.test(address);
  const plain = (file: string) =>
    hasEnding ? file : file.replace(pageEnding, '').replace(/\/(index|readme)$/i, '');
  if (!address.startsWith('/')) {
    const relative = posix.relative(posix.dirname(path), plain(leadTo));
    return {
      ...problem,
      instead: address.startsWith('./') && !relative.startsWith('.') ? `./${relative}` : relative,
    };
  }
  // What the site puts before the files of both is what the old address has before the old file.
  const tail = address.replace(/\/$/, '');
  const old = plain(target);
  const parts = old.split('/');
  for (let from = 0; from < parts.length; from += 1) {
    const end = `/${parts.slice(from).join('/')}`;
    if (!tail.endsWith(end)) continue;
    const cut = parts.slice(0, from).join('/');
    const other = plain(leadTo);
    if (cut !== '' && !other.startsWith(`${cut}/`)) continue;
    const below = cut === '' ? other : other.slice(cut.length + 1);
    return { ...problem, instead: `${tail.slice(0, tail.length - end.length)}/${below}` };
  }
  return problem;
}

function isRepairable(problem: DocsProblem, { deleted, siblings }: Wishes): boolean {
  if (isUnlisted(problem)) return siblings?.has(problem.path) ?? false;
  if (problem.found === undefined) return false;
  if (problem.instead !== undefined) return true;
  const target = deletedTarget(problem);
  if (target !== undefined) return deleted?.has(target) ?? false;
  // An entry of the navigation that a deletion of ours has left behind.
  return (
    problem.check === 'navigation' &&
    [...(deleted ?? [])].some((path) => names(path, problem.found ?? ''))
  );
}

function names(path: string, entry: string): boolean {
  const bare = (text: string) =>
    text
      .replace(/\.(mdx?|markdown)$/i, '')
      .replace(/^\.?\//, '')
      .replaceAll(/(^|\/)\d+[-_.]+/g, '$1');
  return (
    `/${bare(path)}`.endsWith(`/${bare(entry)}`) ||
    `/${bare(path).replace(/\/(index|readme)$/i, '')}`.endsWith(`/${bare(entry)}`)
  );
}

/** The file that has to be changed: the navigation, for a page that it does not list. */
function fileOf(problem: DocsProblem): string {
  return isUnlisted(problem)
    ? (/Add it to (\S+?)\.$/.exec(problem.message)?.[1] ?? problem.path)
    : problem.path;
}

async function mendFile(
  path: string,
  problems: readonly DocsProblem[],
  hands: Hands,
  wishes: Wishes,
  mended: Mended,
): Promise<number> {
  let text: string;
  try {
    text = await hands.read(path);
  } catch (error) {
    mended.refused.push((error as Error).message);
    return 0;
  }
  let changed = text;
  const spans: Span[] = [];
  for (const problem of problems) {
    if (problem.check === 'navigation' && !/\.mdx?$/i.test(path))
      changed = mendEntry(changed, path, problem, wishes);
    else if (isUnlisted(problem)) changed = mendEntry(changed, path, problem, wishes);
    else spans.push(...spansOf(text, problem, spans));
  }
  const edits =
    changed === text
      ? toEdits(
          text,
          spans.toSorted((a, b) => a.start - b.start),
        )
      : toEdits(text, [difference(text, changed)]);
  for (const { oldText, newText } of edits) {
    const refused = await attempt(hands.edit(path, oldText, newText));
    if (refused !== undefined) {
      mended.refused.push(refused);
      return 0;
    }
  }
  if (edits.length > 0) mended.paths.add(path);
  return edits.length;
}

/** What differs between two texts, as one replacement. */
export function difference(before: string, after: string): Span {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  return { start, end: before.length - end, text: after.slice(start, after.length - end) };
}

function mendEntry(
  text: string,
  path: string,
  problem: DocsProblem,
  { after, siblings, titles }: Wishes,
): string {
  if (isUnlisted(problem)) {
    const first = after?.get(problem.path);
    const others = siblings?.get(problem.path) ?? [];
    const neighbours = first === undefined ? others : [first, ...others];
    return addEntry(text, path, {
      page: problem.path,
      title: titles?.get(problem.path),
      neighbours,
    });
  }
  const { found = '', instead, line } = problem;
  return instead === undefined
    ? removeEntry(text, found)
    : replaceEntry(text, found, instead, line);
}

/** Where the address stands on its line: in parentheses, quotes or angles, or after a colon. */
function spansOf(
  text: string,
  { line = 1, found = '', instead }: DocsProblem,
  taken: readonly Span[],
): Span[] {
  const lines = text.split('\n');
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const content = lines[line - 1] ?? '';
  const isFree = (from: number, to: number) =>
    taken.every((span) => to <= span.start || from >= span.end);
  for (let at = content.indexOf(found); at >= 0; at = content.indexOf(found, at + 1)) {
    const end = at + found.length;
    if (!/[("'<\s:={]/.test(content[at - 1] ?? ' ') || !/[)"'>\s}]/.test(content[end] ?? ' '))
      continue;
    if (!isFree(start + at, start + end)) continue;
    if (instead !== undefined) return [{ start: start + at, end: start + end, text: instead }];
    const plain = withoutLink(content, at, end);
    if (plain === undefined || !isFree(start + plain.start, start + plain.end)) continue;
    // A line of nothing but the link goes as a whole.
    const rest = content.slice(0, plain.start) + content.slice(plain.end);
    if (/^\s*(?:[-*+]|\d+[.)])?\s*$/.test(rest))
      return [{ start, end: Math.min(start + content.length + 1, text.length), text: '' }];
    return [{ start: start + plain.start, end: start + plain.end, text: plain.text }];
  }
  return [];
}

/** A link without its address: its words. */
function withoutLink(line: string, at: number, end: number): Span | undefined {
  const markdown = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(<?$/.exec(line.slice(0, at));
  const close = /^>?(?:\s+["'(][^"')]*["')])?\)/.exec(line.slice(end));
  if (markdown && close)
    return { start: markdown.index, end: end + close[0].length, text: markdown[1] ?? '' };
  const anchor = /<a\b[^<>]*$/i.exec(line.slice(0, at));
  const closing = /^[^<>]*>(.*?)<\/a>/i.exec(line.slice(end));
  if (anchor && closing)
    return { start: anchor.index, end: end + closing[0].length, text: closing[1] ?? '' };
  const attribute = /\s(?:href|to|link)=["']$/.exec(line.slice(0, at));
  if (attribute) return { start: attribute.index, end: end + 1, text: '' };
  return undefined;
}
