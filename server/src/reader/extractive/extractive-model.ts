/**
 * The built-in model, which needs no network and no key. It quotes the retrieved passages that answer the
 * question, and says so if nothing was found. It implements the AI SDK's provider interface, so its answers
 * take the same path as those of any other model.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type {
  LanguageModelV4,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { z } from 'zod';
import { notFoundSentence, type NumberedPassage } from '../ask/prompt.ts';
import type { ArrangedResult } from '../ask/reader-pages.ts';
import { chooseQuotes, quoteStart } from './choose-quotes.ts';

/** The call's `providerOptions.docent`, so that the prompt's text isn't parsed. */
const Options = z.object({
  question: z.string(),
  passages: z.array(z.object({ number: z.string(), title: z.string(), markdown: z.string() })),
  ahead: z.object({ passages: z.number(), isMeant: z.boolean(), isWhole: z.boolean() }).optional(),
});

/** Readers can follow an answer better if it arrives line by line. */
const defaultPaceMs = 12;

const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};
const finishReason = { unified: 'stop', raw: undefined } as const;

export function createExtractiveModel({ paceMs = defaultPaceMs } = {}): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'docent',
    modelId: 'extractive',
    supportedUrls: {},

    async doGenerate({ providerOptions }) {
      const text = write(providerOptions?.['docent']);
      return { content: [{ type: 'text', text }], finishReason, usage: noUsage, warnings: [] };
    },

    async doStream({ providerOptions, abortSignal }) {
      const text = write(providerOptions?.['docent']);
      return { stream: toStream(toParts(text, paceMs, abortSignal)) };
    },
  };
}

/** `ReadableStream.from` isn't in the browser types that the tests are checked with. */
function toStream<Part>(parts: AsyncGenerator<Part, void, undefined>): ReadableStream<Part> {
  return new ReadableStream({
    async pull(controller) {
      const next = await parts.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await parts.return();
    },
  });
}

async function* toParts(
  text: string,
  paceMs: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  yield { type: 'stream-start', warnings: [] };
  yield { type: 'text-start', id: '0' };
  const words = text.split(/(?<=\s)(?=\S)/);
  for (let at = 0; at < words.length; at += 4) {
    const delta = words.slice(at, at + 4).join('');
    yield { type: 'text-delta', id: '0', delta };
    if (paceMs > 0) await pause(paceMs, undefined, signal && { signal });
  }
  yield { type: 'text-end', id: '0' };
  yield { type: 'finish', finishReason, usage: noUsage };
}

function write(options: unknown): string {
  const { question, passages, ahead } = Options.parse(options);
  const quoted = quote(question, passages, ahead);
  if (quoted === undefined) {
    return `${notFoundSentence} Try other words, or the name of what you're looking for.`;
  }
  return `*Quoted from the documentation:*\n\n${quoted}`;
}

/**
 * Quotes the passages that answer the question, each under its title. Returns `undefined` if none does. A
 * question about the first passages is answered from these. Otherwise, what the search found is better.
 */
export function quote(
  question: string,
  passages: NumberedPassage[],
  ahead?: ArrangedResult['ahead'],
): string | undefined {
  const own = passages.slice(0, ahead?.passages);
  const read = !ahead || ahead.isMeant ? own : [...passages.slice(ahead.passages), ...own];
  const matching = ahead?.isWhole ? [] : chooseQuotes(question, read);
  const quotes = ahead?.isMeant && matching.length === 0 ? quoteStart(own) : matching;
  if (quotes.length === 0) return undefined;
  const quoted = quotes.map(({ number, title, markdown }, index) => {
    // Consecutive quotations of one section share a heading.
    const isSameSection = quotes[index - 1]?.number === number;
    return isSameSection ? markdown : `**${escape(title)}** [${number}]\n\n${markdown}`;
  });
  return quoted.join('\n\n');
}

/** A title is plain text, so Markdown characters in it are escaped. */
function escape(title: string): string {
  return title.replace(/[\\`*_[\]<>]/g, '\\$&');
}
