/** `fetch` for the chat: gives up on silence, starts a lost thread anew, and proves work where asked. */
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
  /** Where a site that asks for a proof of work gives out challenges. */
  challengeUrl: string;
  /** After this long without a byte the answer is given up. */
  silenceMs?: number;
}

export function createAnswerFetch({
  onThread,
  onThreadLost,
  challengeUrl,
  silenceMs = longestSilenceMs,
}: AnswerFetch): typeof fetch {
  /** Known once the service has asked for it; most sites do not, and load nothing for it. */
  let isProofAsked = false;

  const withProof = async (init: RequestInit): Promise<RequestInit> => {
    const headers = new Headers(init.headers);
    const { solveChallenge } = await import('./challenge.ts');
    const authorization = headers.get('authorization') ?? '';
    headers.set('x-challenge', await solveChallenge(challengeUrl, authorization, init.signal));
    return { ...init, headers };
  };

  const ask = async (url: string | URL, init: RequestInit): Promise<Response> => {
    if (isProofAsked) return fetchOnce(url, await withProof(init), silenceMs);
    const response = await fetchOnce(url, init, silenceMs);
    if (response.status !== 403 || !(await asksForProof(response.clone()))) return response;
    isProofAsked = true;
    return fetchOnce(url, await withProof(init), silenceMs);
  };

  return async (input, init = {}) => {
    const url = input instanceof Request ? input.url : input;
    let response = await ask(url, init);
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    if (response.status === 404 && isRecord(body) && body['threadId']) {
      // The question still carries the conversation, so it can go on as a new thread.
      onThreadLost();
      const { threadId: _lost, ...rest } = body;
      response = await ask(url, { ...init, body: JSON.stringify(rest) });
    }
    const threadId = response.headers.get('x-thread-id');
    if (response.ok && threadId) onThread(threadId);
    return response;
  };
}

/** The service names the header that is missing. */
async function asksForProof(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => undefined);
  const details = isRecord(body) && Array.isArray(body['details']) ? body['details'] : [];
  return details.some((each: unknown) => isRecord(each) && each['path'] === 'X-Challenge');
}
