/** What the built-in editor does with a conversation, from the first instruction to `finish`. */
import { JobError } from '../../platform/errors.ts';
import { addPage } from './add-page.ts';
import { addSection, setFieldOf } from './change-page.ts';
import { isGivenBack, isNewRound, type Segment } from './conversation.ts';
import { findScope } from './find-page.ts';
import type { Hands } from './hands.ts';
import { type Instruction, readInstructions, type Understood } from './instructions.ts';
import { mend } from './mend.ts';
import { changedLinks, deletePage, movePage, report } from './move-page.ts';
import { type Outcome, refuseUnknown } from './outcome.ts';
import { replaceText } from './replace-text.ts';

export interface Place {
  root: string;
  /** What was done last, for "also in …". */
  last: Instruction | undefined;
  /** What came of earlier instructions of the same pull request. */
  before: readonly Outcome[];
}

export interface Plan {
  instructions: PlannedInstruction[];
  /** What an earlier round was refused for, and nobody has said again. */
  leftOut: string[];
  /** The service gave the change back. */
  isGivenBack: boolean;
}

type PlannedInstruction = Instruction & {
  /** It waits since a round that failed: it may fail again, without the newer ones failing with it. */
  isOld?: boolean;
};

/** All of it is understood before any of it is begun. */
export function planFor(segment: Segment, last: Instruction | undefined): Plan {
  const instructions: PlannedInstruction[] = [];
  const unknown: string[] = [];
  const leftOut: string[] = [];
  const isNew = segment.notices.some((notice) => isNewRound.test(notice));
  for (const [index, prompt] of segment.prompts.entries()) {
    const isOld = isNew && index < segment.prompts.length - 1;
    const read = readPrompt(prompt, instructions.at(-1) ?? last);
    if (isOld && read.unknown.length > 0) leftOut.push(...read.unknown);
    else unknown.push(...read.unknown);
    if (isOld && read.unknown.length > 0) continue;
    instructions.push(...read.instructions.map((one) => (isOld ? { ...one, isOld } : one)));
  }
  if (unknown.length > 0) refuseUnknown(unknown);
  const isMending = segment.notices.some((notice) => isGivenBack.test(notice));
  return { instructions, leftOut, isGivenBack: isMending };
}

function readPrompt(prompt: string, last: Instruction | undefined): Understood {
  const read = readInstructions(prompt);
  const instructions: Instruction[] = [];
  const unknown = [...read.unknown];
  for (const one of read.instructions) {
    const meant = one.kind === 'again' ? again(instructions.at(-1) ?? last, one.scope) : one;
    if (meant) instructions.push(meant);
    else unknown.push(`also in ${one.kind === 'again' ? one.scope : ''}`);
  }
  if (instructions.length === 0 && unknown.length === 0) unknown.push(prompt.trim() || 'nothing');
  return { instructions, unknown };
}

function again(last: Instruction | undefined, scope: string): Instruction | undefined {
  if (last?.kind === 'replace' || last?.kind === 'fix-links') return { ...last, scope };
  return undefined;
}

export async function carryOut(plan: Plan, place: Place, hands: Hands): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const { instructions } = plan;
  const showTodos = async (done: number) => {
    if (instructions.length < 2) return;
    await hands.todo(
      instructions.map((one, index) => ({
        content: describe(one),
        status:
          index > done
            ? 'pending'
            : index === done
              ? 'in_progress'
              : outcomes[index]?.missed === undefined
                ? 'completed'
                : 'cancelled',
      })),
    );
  };
  for (const [index, instruction] of instructions.entries()) {
    await showTodos(index);
    outcomes.push(await carryOutOld(instruction, place.root, hands));
  }
  await showTodos(instructions.length);
  if (plan.isGivenBack || instructions.some(({ kind }) => kind === 'replace'))
    outcomes.push(await mendAll(hands));
  if (plan.leftOut.length > 0) outcomes.push(notDone(plan.leftOut));
  await hands.finish(endOf(outcomes, place.before));
  return outcomes;
}

async function carryOutOld(
  instruction: PlannedInstruction,
  root: string,
  hands: Hands,
): Promise<Outcome> {
  const work = carryOutOne(instruction, root, hands);
  if (!instruction.isOld) return work;
  return work.catch((error: unknown) => {
    if (error instanceof JobError) return notDone([`${describe(instruction)}: ${error.message}`]);
    throw error;
  });
}

const notDone = (what: readonly string[]): Outcome => ({
  title: '',
  done: [],
  open: what.map((one) => `Not done: ${one}`),
  hasChanged: false,
});

async function carryOutOne(instruction: Instruction, root: string, hands: Hands): Promise<Outcome> {
  switch (instruction.kind) {
    case 'replace':
      return replaceText(instruction, hands);
    case 'move-page':
      return movePage(instruction, root, hands);
    case 'delete-page':
      return deletePage(instruction, hands);
    case 'add-page':
      return addPage(instruction, root, hands);
    case 'add-section':
      return addSection(instruction, hands);
    case 'set-field':
      return setFieldOf(instruction, hands);
    case 'fix-links':
      return fixLinks(instruction.scope, hands);
    case 'again':
      throw new Error('It stands for another instruction.');
  }
}

async function fixLinks(scope: string | undefined, hands: Hands): Promise<Outcome> {
  const glob = await findScope(scope, hands);
  const outcome: Outcome = { title: 'Fix broken links', done: [], open: [], hasChanged: false };
  const links = await mend(hands, {}, { glob });
  links.left = links.left.filter(
    ({ check }) =>
      check === 'links' || check === 'anchors' || check === 'images' || check === 'navigation',
  );
  report(links, outcome, changedLinks);
  if (links.count === 0 && links.left.length === 0)
    outcome.done.push(
      `No link${glob === undefined ? '' : ` in ${glob}`} is broken, so there was nothing to fix.`,
    );
  else if (links.count === 0) outcome.done.push('No broken link could be fixed for certain.');
  return outcome;
}

/** What a replacement breaks, as far as it can be mended. */
async function mendAll(hands: Hands): Promise<Outcome> {
  const outcome: Outcome = {
    title: 'Mend what the checks found',
    done: [],
    open: [],
    hasChanged: false,
  };
  report(await mend(hands), outcome, (count) =>
    count === 1
      ? 'Mended 1 problem that the checks found'
      : `Mended ${count} problems that the checks found`,
  );
  return outcome;
}

function endOf(
  outcomes: readonly Outcome[],
  before: readonly Outcome[],
): { title: string; message: string; summary?: string } {
  const all = [...before, ...outcomes];
  const changed = all.filter(({ hasChanged }) => hasChanged);
  const [first, ...others] = changed.filter(({ title }) => title !== 'Mend what the checks found');
  const name =
    first?.title ??
    changed[0]?.title ??
    (all.find((one) => one.title !== '')?.title || 'Nothing to change');
  const title =
    others.length === 0
      ? name
      : `${name.length > 50 ? `${name.slice(0, 49)}…` : name} and ${others.length} more`;
  const message =
    wordsOf(
      outcomes,
      outcomes.flatMap((one) => one.done),
    ) || 'Nothing had to be changed.';
  // Reviewers hear what was left out as well, of all rounds; without a change there is nothing to review.
  const summary = changed.length > 0 ? wordsOf(all, doneIn(all)) : '';
  return { title, message, ...(summary && { summary }) };
}

/** One sentence, or a list under one that says what it is. */
function doneIn(all: readonly Outcome[]): string[] {
  const done = all.flatMap((one) => (one.hasChanged ? one.done : []));
  if (done.length < 2) return done;
  return [
    'Done by the built-in editor, without a language model:\n',
    ...done.map((one) => `- ${one}`),
  ];
}

function wordsOf(outcomes: readonly Outcome[], done: readonly string[]): string {
  const missed = outcomes.flatMap((one) => one.missed ?? []);
  const open = [...new Set(outcomes.flatMap((one) => one.open))];
  const others = [
    list('Not found', missed, (one) => `Not found: ${one}.`),
    list('Left open', open),
  ].filter((one) => one !== '');
  return [done.join('\n'), ...others].filter((one) => one !== '').join('\n\n');
}

function list(name: string, all: readonly string[], single?: (one: string) => string): string {
  const [first, ...more] = all;
  if (first === undefined) return '';
  if (single && more.length === 0) return single(first);
  return `${name}:\n${all.map((one) => `- ${one}`).join('\n')}`;
}

function describe(instruction: Instruction): string {
  switch (instruction.kind) {
    case 'replace':
      return `Replace “${short(instruction.oldText)}” with “${short(instruction.newText)}”`;
    case 'move-page':
      return `Move ${instruction.page} to ${instruction.to}`;
    case 'delete-page':
      return `Delete ${instruction.page}`;
    case 'add-page':
      return `Add the page “${short(instruction.title)}”`;
    case 'add-section':
      return `Add the section “${short(instruction.title)}” to ${instruction.page}`;
    case 'set-field':
      return `Set the ${instruction.field} of ${instruction.page}`;
    case 'fix-links':
      return `Fix broken links${instruction.scope === undefined ? '' : ` in ${instruction.scope}`}`;
    case 'again':
      return `The same in ${instruction.scope}`;
  }
}

const short = (text: string) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
