/** Changes inside one page: a section more, another title. */
import { type Edit, toEdits } from './edit-text.ts';
import { findPage } from './find-page.ts';
import { readFront, setField, valueLike } from './frontmatter.ts';
import { attempt, type Hands } from './hands.ts';
import type { Instruction } from './instructions.ts';
import { difference, mend } from './mend.ts';
import { changedLinks, report, withHeading } from './move-page.ts';
import { type Outcome, refuse } from './outcome.ts';

type AddSection = Extract<Instruction, { kind: 'add-section' }>;
type SetField = Extract<Instruction, { kind: 'set-field' }>;

export async function addSection(
  { title, page, text, after }: AddSection,
  hands: Hands,
): Promise<Outcome> {
  const path = await findPage(page, hands);
  const before = await hands.read(path);
  const headings = headingsOf(before);
  const same = headings.find((heading) => heading.text.toLowerCase() === title.toLowerCase());
  if (same) return refuse(`${path} has a section “${same.text}” already. Nothing was changed.`);
  const anchor =
    after === undefined
      ? undefined
      : headings.find((heading) => heading.text.toLowerCase() === after.toLowerCase());
  if (after !== undefined && !anchor)
    return refuse(`${path} has no section “${after}”. Nothing was changed.`);
  const depth = anchor?.depth ?? 2;
  const next =
    anchor && headings.find((heading) => heading.at > anchor.at && heading.depth <= anchor.depth);
  const at = next?.at ?? before.length;
  const section = `${'#'.repeat(depth)} ${title}${text === undefined ? '' : `\n\n${text.trim()}`}`;
  const head = before.slice(0, at).trimEnd();
  const tail = before.slice(at);
  const changed = `${head}\n\n${section}${tail === '' ? '' : `\n\n${tail}`}`;
  const outcome: Outcome = {
    title: `Add a section “${title}” to ${path}`,
    done: [`Added the section “${title}” to ${path}.`],
    open: [],
    hasChanged: true,
  };
  if (text === undefined) outcome.open.push('The section has no text yet: none was given.');
  await change(path, before, changed, hands);
  report(await mend(hands), outcome, changedLinks);
  return outcome;
}

export async function setFieldOf({ field, page, value }: SetField, hands: Hands): Promise<Outcome> {
  const path = await findPage(page, hands);
  const before = await hands.read(path);
  const { data, has } = readFront(before);
  const known = Object.keys(data).find((key) => key.toLowerCase() === field.toLowerCase()) ?? field;
  const old = data[known];
  const outcome: Outcome = {
    title: `Set the ${known} of ${path}`,
    done: [],
    open: [],
    hasChanged: false,
  };
  if (typeof old === 'object' && old !== null)
    return refuse(
      `The ${known} of ${path} is a list or an object, which the built-in editor does not change. Nothing was changed.`,
    );
  const isTitle = known === 'title';
  if (!has && !isTitle)
    return refuse(`${path} has no frontmatter, and so no ${known}. Nothing was changed.`);
  const put = valueLike(value, old);
  const named = has ? (old === put ? before : setField(before, known, put)) : before;
  const changed = isTitle
    ? withHeading(named, typeof old === 'string' ? old : undefined, value)
    : named;
  if (changed === before)
    return { ...outcome, done: [`The ${known} of ${path} is “${value}” already.`] };
  await change(path, before, changed, hands);
  outcome.hasChanged = true;
  outcome.done.push(`The ${known} of ${path} is “${value}” now.`);
  report(await mend(hands), outcome, changedLinks);
  return outcome;
}

async function change(path: string, before: string, after: string, hands: Hands): Promise<void> {
  const edits: Edit[] = toEdits(before, [difference(before, after)]);
  for (const { oldText, newText } of edits) {
    const refused = await attempt(hands.edit(path, oldText, newText));
    if (refused !== undefined) refuse(`${path} could not be changed: ${refused}`);
  }
}

/** Outside of code. */
function headingsOf(text: string): { at: number; depth: number; text: string }[] {
  const found: { at: number; depth: number; text: string }[] = [];
  let fence = '';
  let at = 0;
  for (const line of text.split('\n')) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === '' ? mark : mark.startsWith(fence) ? '' : fence;
    const heading =
      fence === '' ? /^(#{1,6})\s+(.+?)(?:\s*\{#[^}]*\})?\s*#*$/.exec(line) : undefined;
    if (heading) found.push({ at, depth: (heading[1] ?? '').length, text: heading[2] ?? '' });
    at += line.length + 1;
  }
  return found;
}
