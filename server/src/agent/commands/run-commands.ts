/** Carries out the commands of a job on its files. The same commands on the same files give the same change. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { LoopEnd } from '../loop/loop.ts';
import { addPage } from './add-page.ts';
import type { CommandContext, Outcome } from './context.ts';
import { describeCommand } from './describe-command.ts';
import { fixLinks } from './fix-links.ts';
import { movePage } from './move-page.ts';
import { replaceText } from './replace-text.ts';

/** Sentences about what is left open. */
const maxOpen = 30;

/** Rejects with a `JobError` if one of them can't be carried out. */
export async function runCommands(
  commands: readonly AgentCommand[],
  context: CommandContext,
): Promise<LoopEnd> {
  const outcomes: Outcome[] = [];
  for (const command of commands) {
    context.signal.throwIfAborted();
    outcomes.push(await run(command, context));
  }
  const [first] = commands;
  const title = first ? describeCommand(first) : '';
  const more = commands.length > 1 ? ` and ${commands.length - 1} more` : '';
  return { title: title + more, message: messageOf(outcomes) };
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

function messageOf(outcomes: readonly Outcome[]): string {
  const done = outcomes.flatMap((one) => one.done).join('\n');
  const open = [...new Set(outcomes.flatMap((one) => one.open))];
  if (open.length === 0) return done;
  const shown = open.slice(0, maxOpen).map((one) => `- ${one}`);
  if (open.length > maxOpen) shown.push(`- and ${open.length - maxOpen} more`);
  return `${done}\n\nLeft open:\n${shown.join('\n')}`;
}
