/** The conversation with the model, as it is stored and as a provider takes it. */
import type { ModelMessage, ToolModelMessage } from 'ai';
import type { WaitingInstruction } from './agent-loop.ts';
import type { ToolOutcome } from './tools/tools.ts';
import type { Todo } from '@docent/shared/agent-todos';
import { estimateTokens } from '../../budgets/cost.ts';

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

export function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  const texts: string[] = [];
  for (const part of content) if (part.type === 'text') texts.push(part.text);
  return texts.join('');
}

export function resultsOf(message: ToolModelMessage) {
  return message.content.filter((part) => part.type === 'tool-result');
}

/*
 * A conversation is kept within the model's context. First the outputs of older tool calls go, because a file can
 * be read again. If that isn't enough, older steps go as a whole. The users' words are always kept. Steps are
 * never split, so that a call and its result stay together.
 */

/** Shares of the context: when to shorten, the size to reach, and the part that stays as it is. */
const share = { full: 0.75, aim: 0.5, recent: 0.25 };
/** Steps whose tool outputs stay, if there is room. */
const recentSteps = 4;
const keptOutput = 400;
const elidedInput = 1_000;

/** One answer of the model with the results of its calls, or one message of the role `user`. */
type Block = ModelMessage[];

export function tokensOf(messages: readonly ModelMessage[]): number {
  return estimateTokens(JSON.stringify(messages));
}

export function isTooFull(messages: readonly ModelMessage[], room: number): boolean {
  return tokensOf(messages) > room * share.full;
}

/** Drops the outputs of older calls; `isEnough` says whether that is short enough. */
export function elide(
  messages: readonly ModelMessage[],
  room: number,
): { messages: ModelMessage[]; isEnough: boolean } {
  const blocks = toBlocks(messages);
  const older = blocks.length - countRecent(blocks, room);
  const elided = blocks.flatMap((block, index) => (index < older ? block.map(shorten) : block));
  return { messages: elided, isEnough: tokensOf(elided) <= room * share.aim };
}

/** Drops older steps. A notice in their place names the work on which the model goes on. */
export function dropSteps(
  messages: readonly ModelMessage[],
  room: number,
  { changes, todos }: { changes: string; todos: readonly Todo[] },
): ModelMessage[] {
  const blocks = toBlocks(messages);
  const older = blocks.length - countRecent(blocks, room);
  const old = blocks.slice(0, older).flat();
  // A last step with huge outputs must not fill the context by itself.
  const recent = blocks.slice(older).flat();
  const kept = tokensOf(recent) > room * share.aim ? recent.map(shorten) : recent;
  if (!old.some(({ role }) => role === 'assistant')) return [...old, ...kept];
  const list = todos.map(({ content, status }) => `- [${status}] ${content}`).join('\n');
  const notice = [
    'The older part of this conversation has been taken out to save room. Read a file again where you need its text.',
    changes,
    list && `Your list of what is to be done:\n${list}`,
  ];
  return [
    ...old.filter((message) => kindOf(message) === 'instruction'),
    say('notice', notice.filter(Boolean).join('\n\n')),
    ...kept,
  ];
}

function toBlocks(messages: readonly ModelMessage[]): Block[] {
  const blocks: Block[] = [];
  for (const message of messages) {
    const last = blocks.at(-1);
    if (message.role === 'tool' && last) last.push(message);
    else blocks.push([message]);
  }
  return blocks;
}

/** How many blocks at the end stay as they are: the last step, and a few more if there is room. */
function countRecent(blocks: readonly Block[], room: number): number {
  let steps = 0;
  let tokens = 0;
  let count = 0;
  for (const block of blocks.toReversed()) {
    tokens += tokensOf(block);
    const isStep = block[0]?.role === 'assistant';
    if (isStep && steps > 0 && (steps >= recentSteps || tokens > room * share.recent)) break;
    if (isStep) steps += 1;
    count += 1;
  }
  return count;
}

function shorten(message: ModelMessage): ModelMessage {
  if (message.role === 'tool') return { ...message, content: resultsOf(message).map(elideResult) };
  if (message.role !== 'assistant' || typeof message.content === 'string') return message;
  return {
    ...message,
    // Providers want only the thoughts of the newest steps back.
    content: message.content
      .filter(({ type }) => type !== 'reasoning')
      .map((part) =>
        part.type === 'tool-call' ? { ...part, input: elideInput(part.input) } : part,
      ),
  };
}

function elideResult(part: ReturnType<typeof resultsOf>[number]) {
  const { output } = part;
  if (output.type !== 'text' || output.value.length <= keptOutput) return part;
  const value = `(${output.value.length} characters, left out to save room. Call the tool again if you need them.)`;
  return { ...part, output: { type: 'text' as const, value } };
}

/** Shortens long inputs: the file has what was written to it. */
function elideInput(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const entries = Object.entries(input).map(([key, value]: [string, unknown]) =>
    typeof value === 'string' && value.length > elidedInput
      ? [key, `(${value.length} characters, left out)`]
      : [key, value],
  );
  return Object.fromEntries(entries) as unknown;
}
