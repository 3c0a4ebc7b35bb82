/**
 * The parts of an answer as they come off the line. Nothing is lost where the line breaks: what had
 * arrived is handed on before the failure.
 */
import type { UIMessageChunk } from 'ai';
import { createAnswerLimits } from './answer-limits.ts';
import { isRecord } from './message.ts';

/** The fields that the chat's store relies on, for the parts that our service writes. */
const needed: Record<string, readonly string[]> = {
  start: [],
  'start-step': [],
  'text-start': ['id'],
  'text-delta': ['id', 'delta'],
  'text-end': ['id'],
  'source-url': ['sourceId', 'url'],
  'message-metadata': [],
  'finish-step': [],
  finish: [],
  abort: [],
  error: ['errorText'],
};

/** `undefined`: a part of a newer service, which this widget has no use for. */
function toPart(json: string): UIMessageChunk | undefined {
  const part: unknown = JSON.parse(json);
  const type = isRecord(part) ? part['type'] : undefined;
  if (!isRecord(part) || typeof type !== 'string') throw new TypeError('A part without a type');
  const fields = Object.hasOwn(needed, type)
    ? needed[type]
    : type.startsWith('data-')
      ? []
      : undefined;
  if (fields?.some((field) => typeof part[field] !== 'string'))
    throw new TypeError(`A part that is not whole: ${type}`);
  return fields && (part as UIMessageChunk);
}

/** Server-sent events from text in any pieces: calls `onData` with the data of each. */
export function createEventReader(onData: (data: string) => void) {
  let rest = '';
  let data: string[] = [];
  return (text: string): void => {
    rest += text;
    let from = 0;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, rest[end - 1] === '\r' && end > from ? end - 1 : end);
      from = end + 1;
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line === '' && data.length) {
        const whole = data.join('\n');
        data = [];
        onData(whole);
      }
      // Anything else is a comment that keeps the line open, or a field that we do not use.
    }
    rest = rest.slice(from);
  };
}

/** Words that arrived together are one part: each costs a copy of the message and a drawing. */
export function readAnswer(body: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parts: UIMessageChunk[] = [];
  const limit = createAnswerLimits();
  let isOver = false;
  let failure: { error: unknown } | undefined;

  const add = (part: UIMessageChunk): void => {
    const last = parts.at(-1);
    if (part.type === 'text-delta' && last?.type === 'text-delta' && last.id === part.id)
      last.delta += part.delta;
    else parts.push(part);
  };
  const take = createEventReader((data) => {
    const whole = data === '[DONE]' ? undefined : toPart(data);
    const part = whole && limit(whole);
    if (part) add(part);
  });
  const readMore = async (): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (done) isOver = true;
      else take(decoder.decode(value, { stream: true }));
    } catch (error) {
      isOver = true;
      failure = { error };
      // After a part that cannot be read; a line that broke is gone already.
      reader.cancel(error).catch(() => {});
    }
  };
  return new ReadableStream<UIMessageChunk>(
    {
      async pull(controller) {
        while (!parts.length && !isOver) await readMore();
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else if (failure) controller.error(failure.error);
        else controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
