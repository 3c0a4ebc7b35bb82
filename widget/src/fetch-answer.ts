/** `fetch` for the chat: gives up on silence, and starts a lost thread anew. */
import { isRecord } from './message.ts';

/** A model may think before it speaks; later, three heartbeats of the service are missed by then. */
const longestSilenceMs = 45_000;

function timeout(): Error {
  return new DOMException('No answer arrived in time', 'TimeoutError');
}

/** Calls `onSilence` when `beat` was not called for a while. */
function watch(ms: number, onSilence: () => void) {
  let timer = setTimeout(onSilence, ms);
  const end = () => clearTimeout(timer);
  const beat = () => {
    end();
    timer = setTimeout(onSilence, ms);
  };
  return { beat, end };
}

async function fetchOnce(url: string | URL, init: RequestInit, ms: number): Promise<Response> {
  const silent = new AbortController();
  const signal = init.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal;
  let failBody: ((error: Error) => void) | undefined;
  const watcher = watch(ms, () => {
    const error = timeout();
    // First the reader of the body: to it an abort would look like the reader's own stop.
    failBody?.(error);
    silent.abort(error);
  });
  try {
    const response = await fetch(url, { ...init, signal });
    if (!response.body) {
      watcher.end();
      return response;
    }
    watcher.beat();
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        start(controller) {
          failBody = (error) => controller.error(error);
        },
        transform(chunk, controller) {
          watcher.beat();
          controller.enqueue(chunk);
        },
        flush: watcher.end,
      }),
    );
    init.signal?.addEventListener('abort', watcher.end);
    return new Response(watched, response);
  } catch (error) {
    watcher.end();
    throw error;
  }
}

export interface AnswerFetch {
  /** The service names the thread in a header, before any part of the answer. */
  onThread: (threadId: string) => void;
  /** The stored thread is unknown to the service, for example after its data was removed. */
  onThreadLost: () => void;
  /** After this long without a byte the answer is given up. */
  silenceMs?: number;
}

export function createAnswerFetch({
  onThread,
  onThreadLost,
  silenceMs = longestSilenceMs,
}: AnswerFetch): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : input;
    let response = await fetchOnce(url, init, silenceMs);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (response.status === 404 && isRecord(body) && body['threadId']) {
      // The question still carries the conversation, so it can go on as a new thread.
      onThreadLost();
      const { threadId: _lost, ...rest } = body;
      response = await fetchOnce(url, { ...init, body: JSON.stringify(rest) }, silenceMs);
    }
    const threadId = response.headers.get('x-thread-id');
    if (response.ok && threadId) onThread(threadId);
    return response;
  };
}
