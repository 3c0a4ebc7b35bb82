/** What a user sends to a job: words for the language model, or a command. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import { DocentError } from '../../platform/errors.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';
import { describeCommand } from '../commands/describe-command.ts';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** What is done where the content only describes it. */
  command?: AgentCommand | undefined;
}

/** An instruction in words, or one that a command stands for. */
export interface Instruction {
  prompt?: string | undefined;
  command?: AgentCommand | undefined;
}

export function userMessage({ prompt = '', command }: Instruction): Message {
  if (command === undefined) return { role: 'user', content: prompt };
  return { role: 'user', content: describeCommand(command), command };
}

/**
 * What is pasted by mistake would stand in the database, the model's context and the pull request. A
 * command would write something else than it says if a part of it were redacted, so it is refused.
 */
export function withoutSecrets({ content, command, ...message }: Message): Message {
  for (const [field, text] of Object.entries<string | undefined>(command ?? {})) {
    if (text !== undefined && redactSecrets(text) !== text) throw holdsSecret(`command.${field}`);
  }
  return { ...message, content: redactSecrets(content), command };
}

const holdsSecret = (path: string) =>
  new DocentError(
    'bad_request',
    `The request is not valid: \`${path}\` holds what looks like a secret; leave it out.`,
    { details: [{ path, message: 'holds what looks like a secret' }] },
  );

/** Rejects words that nobody would read. */
export function assertUnderstood(messages: readonly Message[], model: string | null): void {
  if (model !== null || messages.every(({ command }) => command !== undefined)) return;
  throw new DocentError(
    'conflict',
    'No language model is configured for this job, so it takes a `command` instead of a `prompt`: "add-page", "replace-text", "move-page", or "fix-links". To give instructions in words, set `model` of the project in the configuration, or send the name of a configured model as `model`.',
  );
}
