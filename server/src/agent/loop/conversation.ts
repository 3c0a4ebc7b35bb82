/** The conversation with the model, as it is stored and as a provider takes it. */
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai';
import type { WaitingInstruction } from './loop.ts';
import type { ToolOutcome } from './tools/tools.ts';

/** The kind of a message with the role `user`, stored in its provider options: the user's words, or ours. */
export type Kind = 'instruction' | 'notice';

const ours = 'docent';

export function say(kind: Kind, text: string): ModelMessage {
  return { role: 'user', content: text, providerOptions: { [ours]: { kind } } };
}

export function kindOf(message: ModelMessage): Kind | undefined {
  if (message.role !== 'user') return undefined;
  return message.providerOptions?.[ours]?.['kind'] === 'notice' ? 'notice' : 'instruction';
}

/** Spec: doesn't say what an `assistant` message of version 1 is. We quote it as an earlier answer of the agent. */
export function fromInstruction({ role, content }: WaitingInstruction): ModelMessage {
  return say(
    'instruction',
    role === 'user'
      ? content
      : `(An earlier answer of the assistant, quoted by the user:)\n${content}`,
  );
}

export function toResults(outcomes: readonly ToolOutcome[]): ToolModelMessage {
  return {
    role: 'tool',
    content: outcomes.map(({ call, isError, output }) => ({
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.name,
      output: { type: isError ? 'error-text' : 'text', value: output },
    })),
  };
}

/**
 * Joins neighboring messages with the role `user`, because some providers demand that roles alternate, and
 * removes our notes.
 */
export function forProvider(messages: readonly ModelMessage[]): ModelMessage[] {
  const sent: ModelMessage[] = [];
  for (const message of messages) {
    if (message.role !== 'user') {
      sent.push(message);
      continue;
    }
    const text = textOf(message);
    const last = sent.at(-1);
    if (last?.role === 'user') last.content = `${last.content as string}\n\n${text}`;
    else sent.push({ role: 'user', content: text });
  }
  return sent;
}

/** All words of a message. */
export function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const part of content) if (part.type === 'text') texts.push(part.text);
  return texts.join('');
}

export function callsOf(message: AssistantModelMessage) {
  return typeof message.content === 'string'
    ? []
    : message.content.filter((part) => part.type === 'tool-call');
}

export function resultsOf(message: ToolModelMessage) {
  return message.content.filter((part) => part.type === 'tool-result');
}
