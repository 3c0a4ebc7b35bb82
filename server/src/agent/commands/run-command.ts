/** Carries out a command on the files of a job. The same command on the same files makes the same change. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import type { LoopEnd } from '../loop/loop.ts';
import { addPage } from './add-page.ts';
import type { CommandContext, Outcome } from './context.ts';
import { describeCommand } from './describe-command.ts';
import { fixLinks } from './fix-links.ts';
import { movePage } from './move-page.ts';
import { replaceText } from './replace-text.ts';

/** Remaining problems in a message. */
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
