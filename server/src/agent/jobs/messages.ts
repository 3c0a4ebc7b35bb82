/** Messages to a job before they are stored: instructions in words, and commands. */
import type { AgentCommand } from '@docent/shared/agent-commands';
import { DocentError } from '../../platform/errors.ts';
import { redactSecrets } from '../../platform/redaction/redact.ts';
import { describeCommand } from '../commands/describe-command.ts';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** If there is one, the content only describes it. */
  command?: AgentCommand | undefined;
}

/** An instruction in words, or a command. */
export interface Instruction {
  prompt?: string | undefined;
  command?: AgentCommand | undefined;
}

export function userMessage({ prompt = '', command }: Instruction): Message {
  if (command === undefined) return { role: 'user', content: prompt };
  return { role: 'user', content: describeCommand(command), command };
}

/**
 * Keeps secrets out of the database, the model's context, and the pull request. A redacted command would
 * write something other than its user wants, so a command with a secret is refused.
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

/** Refuses words if there is no language model to read them. */
export function assertUnderstood(messages: readonly Message[], model: string | null): void {
  if (model !== null || messages.every(({ command }) => command !== undefined)) return;
  throw new DocentError(
    'conflict',
    'No language model is configured for this job, so it takes a `command` instead of a `prompt`: "add-page", "replace-text", "move-page", or "fix-links". To give instructions in words, set `model` of the project in the configuration, or send the name of a configured model as `model`.',
  );
}
