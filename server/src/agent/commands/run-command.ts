/** Carries out a command on the files of a job. The same command on the same files makes the same change. */
import type { AgentCommand, CommandOf } from '@docent/shared/agent-commands';
import type { LoopEnd } from '../loop/agent-loop.ts';
import { addPage } from './add-page.ts';
import {
  attempt,
  type CommandContext,
  openDocs,
  type Outcome,
  refuse,
  endingOf,
  findPage,
  nameOf,
  newPath,
  pagesIn,
} from './context.ts';
import { describeCommand, quoted } from '../jobs/instructions.ts';
import { withTitle, redirect } from './edit-navigation.ts';
import { fixLinks, followLinks } from './fix-links.ts';

const maxOpen = 30;

/** Rejects with a `JobError` if the command can't be carried out. */
export async function runCommand(command: AgentCommand, context: CommandContext): Promise<LoopEnd> {
  const outcome = await run(command, context);
  return { title: describeCommand(command), message: messageOf(outcome) };
}

function run(command: AgentCommand, context: CommandContext): Promise<Outcome> {
  switch (command.type) {
    case 'add-page':
      return addPage(command, context);
    case 'replace-text':
      return replaceText(command, context);
    case 'move-page':
      return movePage(command, context);
    case 'fix-links':
      return fixLinks(command, context);
  }
}

function messageOf(outcome: Outcome): string {
  const done = outcome.done.join('\n');
  const open = [...new Set(outcome.open)];
  if (open.length === 0) return done;
  const shown = open.slice(0, maxOpen).map((one) => `- ${one}`);
  if (open.length > maxOpen) shown.push(`- and ${open.length - maxOpen} more`);
  return `${done}\n\nLeft open:\n${shown.join('\n')}`;
}

/** Moves or renames a page. Links, navigation, and redirects follow. */
async function movePage(
  { from: written, to: target, title }: CommandOf<'move-page'>,
  context: CommandContext,
): Promise<Outcome> {
  const { files } = context;
  const before = await openDocs(context);
  const from = await findPage(written, before);
  const to = newPath(target, before, { ending: endingOf(from), name: nameOf(from) });
  const done: string[] = [];
  if (to !== from) {
    const reason = await attempt(() => files.move(from, to));
    if (reason !== undefined) refuse(`${from} can't be moved: ${reason}`);
    done.push(`Moved ${from} to ${to}.`);
  }
  if (title !== undefined) {
    const { text } = await files.read(to);
    const renamed = withTitle(text, title);
    if (renamed !== text) {
      await files.write(to, renamed);
      done.push(`Its title is “${title}” now.`);
    }
  }
  if (done.length === 0) return { done: [`The page is at ${from} already.`], open: [] };
  const followed = await followLinks(context);
  const led = to === from ? { done: [], open: [] } : await redirect(from, to, before, context);
  return {
    done: [...done, ...followed.done, ...led.done],
    open: [...followed.open, ...led.open],
  };
}

/** Replaces a text in the pages of the documentation. Links to headings that change follow. */
async function replaceText(
  { find, replace, path }: CommandOf<'replace-text'>,
  context: CommandContext,
): Promise<Outcome> {
  const { files } = context;
  const state = await openDocs(context);
  const found: string[] = [];
  const wanted = find.replaceAll('\r\n', '\n');
  await state.each(await pagesIn(path, state), (page, bytes) => {
    if (bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)) found.push(page);
  });
  const where = path === undefined ? 'No page' : `Nothing in ${path}`;
  if (found.length === 0 || find === replace)
    return { done: [`${where} contains “${quoted(find)}”, so nothing changed.`], open: [] };
  const changed: string[] = [];
  const open: string[] = [];
  let count = 0;
  for (const page of found) {
    const reason = await attempt(async () => {
      count += (await files.edit(page, find, replace, { replaceAll: true })).count;
      changed.push(page);
    });
    if (reason !== undefined) open.push(`${page} stays as it is: ${reason}`);
  }
  if (changed.length === 0) return { done: ['Nothing changed.'], open };
  const pages = changed.length === 1 ? changed[0] : `${changed.length} pages`;
  const followed = await followLinks(context);
  return {
    done: [`Changed ${count} ${count === 1 ? 'place' : 'places'} in ${pages}.`, ...followed.done],
    open: [...open, ...followed.open],
  };
}
