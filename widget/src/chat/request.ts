/** The requests about one answer: the question, the way back to its answer, the wish to stop it. */
import type { ContextItem } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';
import { readJson, toName } from './limits.ts';
import { isRecord, type Message } from './message.ts';
import type { AnswerFilter } from '../embed/options.ts';
import { currentPath } from '../page-context/page.ts';
import type { Service } from './service.ts';

const endpoint = '/discovery/v2/assistant';
const maxHistory = 40;

export interface Question {
  /** Ours, made for each question: by it a question that is sent twice is answered once. */
  chatId: string;
  trigger: 'submit-message' | 'regenerate-message';
  /** The message that is asked or answered once more. */
  messageId?: string | undefined;
  messages: readonly Message[];
}

export interface AnswerRequestsOptions {
  service: Service;
  filter: () => AnswerFilter | undefined;
  fp: () => string;
  threadId: () => string | undefined;
  /** The service names the thread; `undefined`: it does not know the one it was told. */
  onThread: (threadId: string | undefined) => void;
}

/** What the service is told of a piece of the page. */
const toWireItem = ({ type, value, path, elementId }: ContextItem) => ({
  type,
  value,
  path,
  elementId,
});

/** What the service reads of a message: who said which words. */
const toWire = ({ id, role, text }: Message) => ({ id, role, parts: [{ type: 'text', text }] });

/** The service names the header that is missing. */
async function asksForProof(response: Response): Promise<boolean> {
  if (response.status !== 403) return false;
  const body = await readJson(response.clone()).catch(() => undefined);
  const details = isRecord(body) && Array.isArray(body['details']) ? body['details'] : [];
  return details.some((each: unknown) => isRecord(each) && each['path'] === 'X-Challenge');
}

export function createAnswerRequests(options: AnswerRequestsOptions) {
  const { service, filter, fp, threadId, onThread } = options;
  /** Known once the service has asked for it; most sites do not, and load nothing for it. */
  let isProofAsked = false;

  async function send(question: Question, signal: AbortSignal): Promise<Response> {
    const { chatId, trigger, messageId, messages } = question;
    const context = messages.findLast(({ role }) => role === 'user')?.context ?? [];
    const headers: Record<string, string> = { 'idempotency-key': chatId };
    if (isProofAsked) {
      const { solveChallenge } = await import('./challenge.ts');
      headers['x-challenge'] = await solveChallenge(service, signal);
    }
    const response = await service.call(endpoint, {
      below: ['message'],
      body: {
        id: chatId,
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
      // The question still carries the conversation, so it can go on as a new thread.
      onThread(undefined);
      return withThread(await send(question, signal));
    },
    /** Reads an answer without its first parts. */
    async resume(id: string, skip: number, signal: AbortSignal): Promise<Response> {
      const headers = { 'x-fp': fp() };
      const below = ['message', id, 'stream'];
      const query = skip ? `?skip=${skip}` : '';
      return withThread(await service.call(endpoint, { below, query, headers, signal }));
    },
    /** At once: a connection that breaks may be a reload, so the service waits for it a while. */
    stop(id: string): void {
      const below = ['message', id, 'stop'];
      const headers = { 'x-fp': fp() };
      service.call(endpoint, { below, method: 'POST', headers, keepalive: true }).catch(() => {
        // Then it stops a little later, by itself.
      });
    },
  };
}
