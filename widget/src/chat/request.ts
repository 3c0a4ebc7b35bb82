/** The requests for an answer: ask, resume, and stop. */
import type { ContextItem } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import { readJson, toName } from './limits.ts';
import { isRecord, type Message } from './message.ts';
import type { AnswerFilter } from '../embed/options.ts';
import { currentPath } from '../page-context/page.ts';
import type { Service } from './service.ts';

const endpoint = '/discovery/v2/assistant';
const maxHistory = 40;
const maxStopMs = 5_000;

export interface Question {
  /** A new ID for each question. The service answers an ID once. */
  questionId: string;
  trigger: 'submit-message' | 'regenerate-message';
  /** The message to ask or answer again. */
  messageId?: string | undefined;
  messages: readonly Message[];
}

export interface AnswerRequestsOptions {
  service: Service;
  filter: () => AnswerFilter | undefined;
  fp: () => string;
  threadId: () => string | undefined;
  /** Receives the thread's ID, or `undefined` if the service doesn't know the one that was sent. */
  onThread: (threadId: string | undefined) => void;
}

const toWireItem = ({ type, value, path, elementId }: ContextItem) => ({
  type,
  value,
  path,
  elementId,
});

const toWire = ({ id, role, text }: Message) => ({ id, role, parts: [{ type: 'text', text }] });

/** The service refuses a question without proof of work and names the missing header. */
export async function asksForProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body = await readJson(response.clone()).catch(() => undefined);
  const details = isRecord(body) && Array.isArray(body['details']) ? body['details'] : [];
  return details.some((each: unknown) => isRecord(each) && each['path'] === 'X-Challenge');
}

export function createAnswerRequests(options: AnswerRequestsOptions) {
  const { service, filter, fp, threadId, onThread } = options;
  /** Load the code only after the service has asked for a proof. */
  let isProofAsked = false;

  async function send(question: Question, signal: AbortSignal): Promise<Response> {
    const { questionId, trigger, messageId, messages } = question;
    const context = messages.findLast(({ role }) => role === 'user')?.context ?? [];
    const headers: Record<string, string> = { 'idempotency-key': questionId };
    if (isProofAsked) {
      const { solveChallenge } = await import('./challenge.ts');
      headers['x-challenge'] = await solveChallenge(service, signal);
    }
    const response = await service.call(endpoint, {
      below: ['message'],
      body: {
        id: questionId,
        trigger,
        messageId,
        fp: fp(),
        threadId: threadId(),
        retrievalPageSize: promises.retrievalPageSizeDefault,
        currentPath: currentPath(),
        filter: filter(),
        context: context.length ? context.map(toWireItem) : undefined,
        messages: messages.slice(-maxHistory).map(toWire),
      },
      headers,
      signal,
    });
    if (isProofAsked || !(await asksForProof(response))) return response;
    isProofAsked = true;
    return send(question, signal);
  }

  const withThread = (response: Response): Response => {
    const name = toName(response.headers.get('x-thread-id'));
    if (response.ok && name) onThread(name);
    return response;
  };

  return {
    async ask(question: Question, signal: AbortSignal): Promise<Response> {
      const response = await send(question, signal);
      if (response.status !== 404 || !threadId()) return withThread(response);
      // The request contains the conversation, so it can continue in a new thread.
      onThread(undefined);
      return withThread(await send(question, signal));
    },
    /** Requests an answer again, without its first parts. */
    async resume(id: string, skip: number, signal: AbortSignal): Promise<Response> {
      const headers = { 'x-fp': fp() };
      const below = ['message', id, 'stream'];
      const query = skip ? `?skip=${skip}` : '';
      return withThread(await service.call(endpoint, { below, query, headers, signal }));
    },
    /**
     * Stops the model at once. After a closed connection the service would wait, because it may be
     * a reload. Resolves when the service has stored the answer so far, or can't be reached.
     */
    async stop(id: string): Promise<void> {
      const below = ['message', id, 'stop'];
      const headers = { 'x-fp': fp() };
      const signal = AbortSignal.timeout(maxStopMs);
      try {
        // Before the first header of the answer, the conversation of a first question is unknown.
        withThread(
          await service.call(endpoint, { below, method: 'POST', headers, keepalive: true, signal }),
        );
      } catch {
        // The service stops it a little later.
      }
    },
  };
}
