/** `fetch` for the chat: gives up on silence, and starts a lost thread anew. */
import { isRecord } from './message.ts';

/** The longest wait for the first byte; a model may think before it speaks. */
const firstByteMs = 45_000;
/** Three missed heartbeats: the service sends one every 15 seconds. */
const silenceMs = 45_000;

function timeout(): Error {
  return new DOMException('No answer arrived in time', 'TimeoutError');
}

/** Calls `onSilence` when `beat` was not called for a while. */
function watch(ms: number, onSilence: () => void) {
  let timer = setTimeout(onSilence, ms);
  return {
    beat(next: number) {
      clearTimeout(timer);
      timer = setTimeout(onSilence, next);
    },
    end: () => clearTimeout(timer),
  };
}

async function fetchOnce(url: string | URL, init: RequestInit): Promise<Response> {
  const silent = new AbortController();
  const signal = init.signal ? AbortSignal.any([init.signal, silent.signal]) : silent.signal;
  const watcher = watch(firstByteMs, () => silent.abort(timeout()));
  try {
    const response = await fetch(url, { ...init, signal });
    if (!response.body) {
      watcher.end();
      return response;
    }
    watcher.beat(silenceMs);
    const watched = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          watcher.beat(silenceMs);
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
}

export function createAnswerFetch({ onThread, onThreadLost }: AnswerFetch): typeof fetch {
  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : input;
    let response = await fetchOnce(url, init);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (response.status === 404 && isRecord(body) && body['threadId']) {
      // The question still carries the conversation, so it can go on as a new thread.
      onThreadLost();
      const { threadId: _lost, ...rest } = body;
      response = await fetchOnce(url, { ...init, body: JSON.stringify(rest) });
    }
    const threadId = response.headers.get('x-thread-id');
    if (response.ok && threadId) onThread(threadId);
    return response;
  };
}
