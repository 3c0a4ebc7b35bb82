/** `fetch` for the chat: one answer over many connections, a lost thread begun anew, work proved where asked. */
import { openLine, type LineState } from './answer-line.ts';
import { toJson } from './json.ts';
import { readJson, toName } from './limits.ts';
import { isRecord } from './message.ts';

/** A model may think before it speaks; later, two heartbeats of the service are missed by then. */
const longestSilenceMs = 40_000;

export interface AnswerFetch {
  /** The service names the thread in a header, before any part of the answer. */
  onThread: (threadId: string) => void;
  /** The stored thread is unknown to the service, for example after its data was removed. */
  onThreadLost: () => void;
  /** Where a site that asks for a proof of work gives out challenges. */
  challengeUrl: string;
  /** Where an answer that has begun is read on, and by which headers its reader is known. */
  again: (messageId: string) => { url: string; headers: Record<string, string> };
  onLine: (state: LineState) => void;
  /** The least time between two pieces of a growing answer. */
  gapMs?: () => number;
  /** After this long without a byte a connection is given up. */
  silenceMs?: number;
}

export function createAnswerFetch({
  onThread,
  onThreadLost,
  challengeUrl,
  again,
  onLine,
  gapMs = () => 0,
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
    if (isProofAsked) return fetch(url, await withProof(init));
    const response = await fetch(url, init);
    if (response.status !== 403 || !(await asksForProof(response.clone()))) return response;
    isProofAsked = true;
    return fetch(url, await withProof(init));
  };

  return (input, given = {}) => {
    const url = input instanceof Request ? input.url : input;
    let init = given;

    const askInThread = async (signal: AbortSignal): Promise<Response> => {
      const response = await ask(url, { ...init, signal });
      const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      if (response.status !== 404 || !isRecord(body) || !body['threadId']) return response;
      // The question still carries the conversation, so it can go on as a new thread.
      onThreadLost();
      const { threadId: _lost, ...rest } = body;
      init = { ...init, body: toJson(rest) };
      return ask(url, { ...init, signal });
    };

    return openLine({
      async connect({ messageId, parts }, signal) {
        let response: Response;
        if (messageId === undefined) response = await askInThread(signal);
        else {
          const at = again(messageId);
          const skip = parts ? `?skip=${parts}` : '';
          const { headers } = at;
          response = await fetch(at.url + skip, { headers, credentials: 'omit', signal });
        }
        const threadId = toName(response.headers.get('x-thread-id'));
        if (response.ok && threadId) onThread(threadId);
        return response;
      },
      signal: given.signal,
      // Asked for by GET: an answer that was begun before this page.
      isRunning: given.method !== 'POST',
      silenceMs,
      gapMs,
      onState: onLine,
    });
  };
}

/** The service names the header that is missing. */
async function asksForProof(response: Response): Promise<boolean> {
  const body = await readJson(response).catch(() => undefined);
  const details = isRecord(body) && Array.isArray(body['details']) ? body['details'] : [];
  return details.some((each: unknown) => isRecord(each) && each['path'] === 'X-Challenge');
}
