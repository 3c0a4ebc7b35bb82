/** Replaces a text wherever it stands. */
import { type Edit, type Span, toEdits } from './edit-text.ts';
import { escapeExpression, findScope } from './find-page.ts';
import { attempt, type Hands } from './hands.ts';
import type { Instruction } from './instructions.ts';
import { type Outcome, refuse } from './outcome.ts';

type Replace = Extract<Instruction, { kind: 'replace' }>;

export async function replaceText(instruction: Replace, hands: Hands): Promise<Outcome> {
  const { oldText, newText } = instruction;
  if (oldText.trim() === '') return refuse('The text to replace is empty. Nothing was changed.');
  const title =
    newText === ''
      ? `Remove “${cut(oldText)}”`
      : `Replace “${cut(oldText)}” with “${cut(newText)}”`;
  const outcome: Outcome = { title, done: [], open: [], hasChanged: false };
  if (oldText === newText) return { ...outcome, done: [`“${oldText}” is what it says already.`] };
  const scope = await findScope(instruction.scope, hands);
  const paths = await filesWith(instruction, scope, hands);
  const results = await Promise.all(paths.map((path) => replaceIn(path, instruction, hands)));
  const changed = results.filter((result) => result.count > 0);
  outcome.hasChanged = changed.length > 0;
  for (const { path, problem } of results)
    if (problem !== undefined) outcome.open.push(`${path} was left as it is: ${problem}`);
  const where = scope === undefined ? '' : ` in ${scope}`;
  if (changed.length === 0 && outcome.open.length === 0) outcome.missed = `“${oldText}”${where}`;
  else if (changed.length > 0)
    outcome.done.push(
      `${title.replace(/^(Remove|Replace)/, '$1d')} in ${changed.length === 1 ? (changed[0]?.path ?? '') : `${changed.length} files`}.`,
    );
  return outcome;
}

async function filesWith(
  { oldText, isAnyCase }: Replace,
  scope: string | undefined,
  hands: Hands,
): Promise<string[]> {
  // The search goes through single lines.
  const line = oldText.split('\n').find((one) => one.trim() !== '') ?? oldText;
  const expression = `${isAnyCase ? '(?i)' : '(?-i)'}${escapeExpression(line)}`;
  const found = await hands.search(expression, scope);
  if (found.isAll) return found.paths;
  const paths = new Set(found.paths);
  const folders = await hands.list(scope);
  const names = new Set(
    folders.map((path) => path.slice(0, path.lastIndexOf('/') + 1).replace(/^\.\//, '')),
  );
  for (const folder of names) {
    const inside = await hands.search(expression, `${folder}*.*`);
    for (const path of inside.paths) paths.add(path);
  }
  return [...paths];
}

interface Result {
  path: string;
  count: number;
  problem?: string;
}

async function replaceIn(path: string, instruction: Replace, hands: Hands): Promise<Result> {
  const { oldText, newText, isWord, isAnyCase } = instruction;
  if (!isWord && !isAnyCase) {
    const problem = await attempt(hands.edit(path, oldText, newText, true));
    return problem === undefined ? { path, count: 1 } : noted(path, problem);
  }
  const text = await hands.read(path);
  const spans = occurrences(text, instruction).map(({ start, end }): Span => ({
    start,
    end,
    text: newText,
  }));
  const edits: Edit[] = toEdits(text, spans);
  for (const { oldText: before, newText: after } of edits) {
    const problem = await attempt(hands.edit(path, before, after));
    if (problem !== undefined) return noted(path, problem);
  }
  return { path, count: edits.length };
}

/** A line of the text was there, but not all of it: nothing to speak of. */
function noted(path: string, problem: string): Result {
  return problem.startsWith('The text was not found')
    ? { path, count: 0 }
    : { path, count: 0, problem };
}

const isLetter = (character: string | undefined) =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);

function occurrences(
  text: string,
  { oldText, isWord, isAnyCase }: Replace,
): { start: number; end: number }[] {
  const expression = new RegExp(
    oldText.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
    isAnyCase ? 'giu' : 'gu',
  );
  return [...text.matchAll(expression)].flatMap(({ index, 0: found }) => {
    const end = index + found.length;
    const before = isLetter(found[0]) && isLetter(text[index - 1]);
    const after = isLetter(found.at(-1)) && isLetter(text[end]);
    return isWord && (before || after) ? [] : [{ start: index, end }];
  });
}

const cut = (text: string) => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 30 ? `${line.slice(0, 29)}…` : line;
};
