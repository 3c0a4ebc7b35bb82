/** A real HTTP server that answers as the service does, one scripted answer after the other. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SearchHit } from '@docent/shared/search';
import type { AnswerPart } from '@docent/shared/stream';

export interface Asked {
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> & {
    messages: { id: string; role: string; parts: { text: string }[] }[];
  };
}

/** What to do with one question. */
export type Answering = (response: ServerResponse, asked: Asked) => unknown;

/** What to do with who comes back to an answer. */
export type Resuming = (response: ServerResponse, skip: number) => unknown;

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': 'authorization, content-type, user-agent, x-fp, idempotency-key',
  'access-control-expose-headers': 'X-Thread-Id, Retry-After',
};

export function write(response: ServerResponse, part: AnswerPart): void {
  response.write(`data: ${JSON.stringify(part)}\n\n`);
}

export function begin(
  response: ServerResponse,
  threadId = 'thread-1',
  messageId = 'answer-1',
): void {
  response.writeHead(200, {
    ...cors,
    'content-type': 'text/event-stream',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-thread-id': threadId,
  });
  write(response, { type: 'start', messageId, messageMetadata: { threadId } });
  write(response, { type: 'start-step' });
  write(response, {
    type: 'source-url',
    sourceId: '1',
    url: '/install#tag',
    title: 'Install › Tag',
  });
  write(response, {
    type: 'data-answer',
    data: { status: 'answered', confidence: 1, mode: 'model' },
  });
  write(response, { type: 'text-start', id: 't' });
}

export function say(response: ServerResponse, delta: string): void {
  write(response, { type: 'text-delta', id: 't', delta });
}

export function finish(response: ServerResponse, reason?: 'length' | 'content-filter'): void {
  write(response, { type: 'text-end', id: 't' });
  write(response, { type: 'finish-step' });
  const messageMetadata = { threadId: 'thread-1', ...(reason && { finishReason: reason }) };
  write(response, { type: 'finish', messageMetadata });
  response.end('data: [DONE]\n\n');
}

/** The usual: a whole answer. */
export function answer(text: string, messageId = `answer-${text.length}`): Answering {
  return (response) => {
    begin(response, 'thread-1', messageId);
    for (const word of text.split(/(?<= )/)) say(response, word);
    finish(response);
  };
}

export function refuse(status: number, code: string, more = {}): Answering {
  return (response) => {
    response.writeHead(status, { ...cors, 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: 'For programs.', code, requestId: 'r1', ...more }));
  };
}

/** Nothing to resume: what the service says when a test does not. */
export const gone: Resuming = (response) => response.writeHead(204, cors).end();

/** The answer of `parts` without those that the reader has. */
export const rest =
  (parts: readonly AnswerPart[]): Resuming =>
  (response, skip) => {
    response.writeHead(200, { ...cors, 'content-type': 'text/event-stream' });
    for (const part of parts.slice(skip)) write(response, part);
    response.end('data: [DONE]\n\n');
  };

export async function startService() {
  const asked: Asked[] = [];
  const answers: Answering[] = [];
  const resumptions: Resuming[] = [];
  const resumed: { id: string; skip: number; headers: IncomingMessage['headers'] }[] = [];
  const searched: Record<string, unknown>[] = [];
  let found: SearchHit[] = [];
  const stopped: { id: string; headers: IncomingMessage['headers'] }[] = [];
  let siteRequests = 0;
  let starterQuestions = ['How do I install it?'];
  const server = createServer((request, response) => {
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end();
    if (request.url?.startsWith('/discovery/v1/site/')) {
      siteRequests++;
      response.writeHead(200, { ...cors, 'content-type': 'application/json' });
      response.end(JSON.stringify({ name: 'Acme', starterQuestions }));
      return;
    }
    if (request.url?.startsWith('/discovery/v1/search/')) {
      let query = '';
      request.on('data', (chunk: Buffer) => (query += chunk.toString()));
      request.on('end', () => {
        searched.push(JSON.parse(query) as Record<string, unknown>);
        response.writeHead(200, { ...cors, 'content-type': 'application/json' });
        response.end(JSON.stringify(found));
      });
      return;
    }
    const stop = /\/message\/([^/]+)\/stop$/.exec(request.url ?? '')?.[1];
    if (stop !== undefined) {
      stopped.push({ id: stop, headers: request.headers });
      response.setHeader('x-thread-id', 'thread-1');
      return void response.writeHead(204, cors).end();
    }
    const [, again, skip] =
      /\/message\/([^/]+)\/stream(?:\?skip=(\d+))?$/.exec(request.url ?? '') ?? [];
    if (again !== undefined) {
      resumed.push({ id: again, skip: Number(skip ?? 0), headers: request.headers });
      const next = resumptions.shift() ?? gone;
      return void next(response, Number(skip ?? 0));
    }
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const question: Asked = { headers: request.headers, body: JSON.parse(text) as Asked['body'] };
      asked.push(question);
      const next = answers.shift() ?? refuse(500, 'internal');
      next(response, question);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** What was searched for, and what is found from now on. */
    searched,
    findAlways: (hits: SearchHit[]) => (found = hits),
    /** Who came back to which answer, and what they had of it. */
    resumed,
    resumeWith: (...next: Resuming[]) => resumptions.push(...next),
    /** The answers that were asked to be stopped. */
    stopped,
    startWith: (questions: string[]) => (starterQuestions = questions),
    siteRequests: () => siteRequests,
    answerWith: (...next: Answering[]) => answers.push(...next),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;
