/**
 * The model that is none: it carries out a small set of instructions, always in the same way, through the
 * same loop, tools, checks and pull request as a language model. It keeps nothing in mind: what it has done
 * stands in the conversation, so that it goes on after a restart as if nothing had happened.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { isNewRound, readConversation } from './conversation.ts';
import { createHands } from './hands.ts';
import type { Instruction } from './instructions.ts';
import type { Outcome } from './outcome.ts';
import { carryOut, planFor } from './program.ts';
import { type Call, replay } from './replay.ts';

/** The loop does no more in one step. */
const mostCalls = 40;

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};
const finishReason = { unified: 'tool-calls', raw: 'tool-calls' } as const;

export function createBuiltInEditor(): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'docent',
    modelId: 'built-in-editor',
    supportedUrls: {},

    async doGenerate(options) {
      const content = await answer(options);
      return { content, finishReason, usage, warnings: [] };
    },

    async doStream(options) {
      const content = await answer(options);
      const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) if (part.type === 'tool-call') parts.push(part);
      parts.push({ type: 'finish', finishReason, usage });
      return {
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      };
    },
  };
}

async function answer({
  prompt,
  tools,
  abortSignal,
}: LanguageModelV4CallOptions): Promise<LanguageModelV4Content[]> {
  const known = new Set((tools ?? []).map(({ name }) => name));
  const calls = await nextCalls(prompt, known, abortSignal);
  const done = prompt.filter(({ role }) => role === 'assistant').length;
  return calls.slice(0, mostCalls).map(({ name, input }, index) => ({
    type: 'tool-call',
    toolCallId: `edit-${done + 1}-${index + 1}`,
    toolName: name,
    input: JSON.stringify(input),
  }));
}

/** Goes through the conversation from its beginning, to where it has not been answered yet. */
async function nextCalls(
  prompt: LanguageModelV4CallOptions['prompt'],
  tools: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<Call[]> {
  const { root = '', segments } = readConversation(prompt);
  let last: Instruction | undefined;
  let before: Outcome[] = [];
  for (const [index, segment] of segments.entries()) {
    signal?.throwIfAborted();
    const isLast = index === segments.length - 1;
    // Each round has a title and a summary of its own.
    if (segment.notices.some((notice) => isNewRound.test(notice))) before = [];
    const plan = understand(segment, last, isLast);
    if (!plan) continue;
    const place = { root, last, before };
    last = plan.instructions.at(-1) ?? last;
    if (isLast) {
      const outcome = await replay(
        (call) => carryOut(plan, place, createHands(call, tools)),
        segment.results,
      );
      return outcome.isDone ? [] : outcome.next;
    }
    const outcome = await replay(
      (call) => carryOut(plan, place, createHands(call, tools)),
      segment.results,
    ).catch(() => undefined);
    if (outcome?.isDone) before = [...before, ...outcome.result];
  }
  return [];
}

/** What was not understood in an earlier round is over; only the newest one can be refused. */
function understand(
  segment: Parameters<typeof planFor>[0],
  last: Instruction | undefined,
  isLast: boolean,
) {
  try {
    return planFor(segment, last);
  } catch (error) {
    if (isLast) throw error;
    return undefined;
  }
}
