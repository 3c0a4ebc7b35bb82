/** How much of an answer is taken, part by part; see limits.ts for whom from. */
import type { UIMessageChunk } from 'ai';
import { AnswerError } from './answer-error.ts';
import { clip, toName, toQuestions } from './limits.ts';
import { isRecord } from './message.ts';

/** Some books have fewer; the service's models write a few thousand characters. */
const longestAnswer = 100_000;
/** One for each of these characters. The SDK copies all that is no word with each word that follows. */
const mostParts = 100_000;
const mostSteps = 40;
/** As many as the service ever reads for an answer. */
const mostSources = 50;
const mostSuggestions = 5;
const longest = { title: 300, url: 2_000, quote: 4_000, error: 10_000 };

/** Of a part that this widget draws nothing of, only the thread's name is worth keeping. */
function metadataOf(part: { messageMetadata?: unknown }): { messageMetadata?: object } {
  const { messageMetadata: given } = part;
  const threadId = isRecord(given) ? toName(given['threadId']) : undefined;
  return threadId === undefined ? {} : { messageMetadata: { threadId } };
}

/** What is handed on of a part; `undefined` where nothing is. Throws where an answer has no end. */
export function createAnswerLimits(): (part: UIMessageChunk) => UIMessageChunk | undefined {
  let characters = 0;
  let parts = 0;
  let steps = 0;
  const sources = new Set<string>();
  const data = new Set<string>();

  return (part) => {
    if (++parts > mostParts) throw new AnswerError('endless');
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- what is left says nothing to us.
    switch (part.type) {
      case 'start': {
        const messageId = toName(part.messageId);
        return { type: 'start', ...(messageId && { messageId }), ...metadataOf(part) };
      }
      case 'finish':
        return { type: 'finish', ...metadataOf(part) };
      case 'message-metadata': {
        const { messageMetadata } = metadataOf(part);
        return messageMetadata && { type: 'message-metadata', messageMetadata };
      }
      case 'text-start':
      case 'start-step':
        if (++steps > mostSteps) throw new AnswerError('endless');
        return part.type === 'start-step' ? part : { type: 'text-start', id: part.id };
      case 'text-delta':
        characters += part.delta.length;
        if (characters > longestAnswer) throw new AnswerError('endless');
        return { type: 'text-delta', id: part.id, delta: part.delta };
      case 'source-url': {
        const { sourceId, url, title, providerMetadata } = part;
        const isMore = sources.size === mostSources && !sources.has(sourceId);
        if (isMore || !toName(sourceId) || url.length > longest.url) return undefined;
        sources.add(sourceId);
        const quote = providerMetadata?.['docent']?.['quote'];
        return {
          type: 'source-url',
          sourceId,
          url,
          ...(typeof title === 'string' && { title: clip(title, longest.title) }),
          ...(typeof quote === 'string' && {
            providerMetadata: { docent: { quote: quote.slice(0, longest.quote) } },
          }),
        };
      }
      case 'error':
        return { type: 'error', errorText: part.errorText.slice(0, longest.error) };
      case 'data-suggestions':
      case 'data-answer': {
        if (data.has(part.type)) return undefined;
        data.add(part.type);
        const { status, questions } = isRecord(part.data) ? part.data : {};
        if (part.type === 'data-answer') return { type: part.type, data: { status } };
        return { type: part.type, data: { questions: toQuestions(questions, mostSuggestions) } };
      }
      default:
        // What only newer widgets draw would be kept, and copied with every word that follows.
        return part.type.startsWith('data-') ? undefined : part;
    }
  };
}
