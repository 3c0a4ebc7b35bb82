/** What the conversation in a prompt says has happened: the editor remembers nothing by itself. */
import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import type { Recorded } from './replay.ts';

/** From what the user says to the call of `finish` that ends it. */
export interface Segment {
  prompts: string[];
  /** The change was given back with what is wrong with it, or something else that only the service says. */
  notices: string[];
  results: Recorded[];
  isFinished: boolean;
}

/** The runner begins a round with these words, and gives a change back with those. */
export const isNewRound = /the user has a further request/;
export const isGivenBack = /^Your change is not proposed yet/;

export interface Conversation {
  /** Folder of the documentation, as the system prompt says it. */
  root: string | undefined;
  segments: Segment[];
}

export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const segments: Segment[] = [];
  let root: string | undefined;
  const calls = new Map<string, { name: string; input: unknown }>();
  const open = (): Segment => {
    const last = segments.at(-1);
    if (last && !last.isFinished) return last;
    const segment: Segment = { prompts: [], notices: [], results: [], isFinished: false };
    segments.push(segment);
    return segment;
  };
  for (const message of prompt) {
    if (message.role === 'system') {
      const said = /The documentation is the folder ("(?:[^"\\]|\\.)*") of the repository/.exec(
        message.content,
      );
      if (said?.[1] !== undefined) root ??= JSON.parse(said[1]) as string;
      if (/The documentation is the whole repository/.test(message.content)) root ??= '';
    } else if (message.role === 'user') {
      const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
      const isPrompt = (message.providerOptions?.['docent']?.['kind'] ?? 'prompt') === 'prompt';
      if (!isPrompt && isNewRound.test(text)) {
        const last = segments.at(-1);
        // What the round before did not finish is over.
        if (last) last.isFinished = true;
      }
      open()[isPrompt ? 'prompts' : 'notices'].push(text);
    } else if (message.role === 'assistant') {
      for (const part of message.content) {
        if (part.type === 'tool-call')
          calls.set(part.toolCallId, { name: part.toolName, input: part.input });
      }
    } else {
      for (const part of message.content) {
        if (part.type !== 'tool-result') continue;
        const call = calls.get(part.toolCallId);
        if (!call) continue;
        const segment = open();
        const { text, isError } = outputOf(part);
        segment.results.push({ ...call, isError, text });
        if (call.name === 'finish' && !isError) segment.isFinished = true;
      }
    }
  }
  return { root, segments };
}

function outputOf({ output }: LanguageModelV4ToolResultPart): { text: string; isError: boolean } {
  if (output.type === 'text' || output.type === 'error-text')
    return { text: output.value, isError: output.type === 'error-text' };
  if (output.type === 'json' || output.type === 'error-json')
    return { text: JSON.stringify(output.value), isError: output.type === 'error-json' };
  return { text: '', isError: true };
}
