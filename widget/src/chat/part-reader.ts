/** Decodes and checks the parts of an answer, with limits that no real answer reaches. */
import { type FinishReason, maxChoices } from '@docent/shared/stream';
import { AnswerError } from './answer-error.ts';
import { clip, toName, toQuestions } from './limits.ts';
import { type Ending, isRecord, isStatus, type Message, type Source } from './message.ts';

/** A part of the stream, with the fields that the widget uses. */
export type Part =
  | { type: 'start'; messageId: string | undefined }
  | { type: 'text-start' }
  | { type: 'text-delta'; delta: string }
  | { type: 'source-url'; source: Source }
  | ({ type: 'data-answer'; ended?: Ending } & Pick<Message, 'status' | 'asOf' | 'versions'>)
  | { type: 'data-progress' }
  | { type: 'data-question'; choices: string[] }
  | { type: 'data-suggestions'; questions: string[] }
  | { type: 'finish'; ended?: Ending | undefined }
  | { type: 'error'; errorText: string };

const maxAnswer = 100_000;
const maxParts = 100_000;
const maxSteps = 40;
const maxSources = 50;
const maxSuggestions = 5;
const maxEvent = 1_000_000;
const maxLength = { title: 300, url: 2_000, quote: 4_000, error: 10_000 };

const unreadable = (what: string) => new AnswerError('unreadable', `Unreadable part: ${what}`);

function parse(json: string): Record<string, unknown> & { type: string } {
  let part: unknown;
  try {
    part = JSON.parse(json);
  } catch {
    throw unreadable('no JSON');
  }
  if (!isRecord(part) || typeof part['type'] !== 'string') throw unreadable('no type');
  return part as Record<string, unknown> & { type: string };
}

/** The data of a server-sent event. Empty for a comment, which keeps the connection open. */
const dataOf = (event: string): string =>
  event
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length))
    .join('\n')
    .trim();

function toEnding(finishReason: unknown): Ending | undefined {
  if (finishReason === ('length' satisfies FinishReason)) return 'truncated';
  return finishReason === ('content-filter' satisfies FinishReason) ? 'withheld' : undefined;
}

export function createPartReader() {
  let decoder = new TextDecoder();
  /** The beginning of an event whose rest hasn't arrived. */
  let partialEvent = '';
  let parts = 0;
  let steps = 0;
  let characters = 0;
  const sources = new Set<string>();
  const seenOnce = new Set<string>();

  const isAgain = (type: string) => seenOnce.size === seenOnce.add(type).size;

  function toSource(part: Record<string, unknown>): Source | undefined {
    const { sourceId: id, url, title, providerMetadata } = part;
    if (typeof id !== 'string' || typeof url !== 'string') throw unreadable('source-url');
    const isTaken = sources.size < maxSources && !sources.has(id);
    if (!isTaken || !toName(id) || url.length > maxLength.url) return undefined;
    sources.add(id);
    const docent = isRecord(providerMetadata) ? providerMetadata['docent'] : undefined;
    const quote = isRecord(docent) ? docent['quote'] : undefined;
    return {
      id,
      url,
      title: typeof title === 'string' ? clip(title, maxLength.title) : url,
      ...(typeof quote === 'string' && { quote: quote.slice(0, maxLength.quote) }),
    };
  }

  /** Returns `undefined` for parts that the widget doesn't use or know. */
  function toPart(json: string): Part | undefined {
    if (++parts > maxParts) throw new AnswerError('endless');
    const part = parse(json);
    const { type } = part;
    const data = isRecord(part['data']) ? part['data'] : {};
    switch (type) {
      case 'start':
        return { type, messageId: toName(part['messageId']) };
      case 'start-step':
      case 'text-start':
        if (++steps > maxSteps) throw new AnswerError('endless');
        return type === 'text-start' ? { type } : undefined;
      case 'text-delta': {
        const { delta } = part;
        if (typeof delta !== 'string') throw unreadable(type);
        characters += delta.length;
        if (characters > maxAnswer) throw new AnswerError('endless');
        return { type, delta };
      }
      case 'source-url': {
        const source = toSource(part);
        return source && { type, source };
      }
      case 'data-answer': {
        const { status } = data;
        if (isAgain(type) || !isStatus(status)) return undefined;
        const asOf = Date.parse(String(data['indexedAt']));
        return {
          type,
          status,
          ...(asOf ? { asOf, versions: toQuestions(data['versions'], 5).join(', ') } : {}),
          ...(data['cut'] === 'repetition' && { ended: 'repeated' }),
        };
      }
      case 'data-progress':
        return isAgain(type) ? undefined : { type };
      case 'data-question':
        return { type, choices: toQuestions(data['choices'], maxChoices) };
      case 'data-suggestions': {
        if (isAgain(type)) return undefined;
        return { type, questions: toQuestions(data['questions'], maxSuggestions) };
      }
      case 'error': {
        const { errorText } = part;
        if (typeof errorText !== 'string') throw unreadable(type);
        return { type, errorText: errorText.slice(0, maxLength.error) };
      }
      case 'finish': {
        // Chat SDKs get it in the metadata.
        const { messageMetadata: metadata } = part;
        const reason = part['finishReason'] ?? (isRecord(metadata) && metadata['finishReason']);
        return { type, ended: toEnding(reason) };
      }
      case 'abort':
        return { type: 'finish' };
      default:
        return undefined;
    }
  }

  return {
    /** The number of parts so far, including ignored ones. The service continues after them. */
    count: (): number => parts,
    /** A new connection starts with a whole part. */
    beginConnection(): void {
      decoder = new TextDecoder();
      partialEvent = '';
    },
    *read(bytes: Uint8Array): Generator<Part, void, undefined> {
      const events = (partialEvent + decoder.decode(bytes, { stream: true })).split(/\r?\n\r?\n/);
      partialEvent = events.pop() ?? '';
      for (const event of events) {
        const json = dataOf(event);
        const part = json && json !== '[DONE]' ? toPart(json) : undefined;
        if (part) yield part;
      }
      if (partialEvent.length > maxEvent) throw new AnswerError('endless');
    },
  };
}
