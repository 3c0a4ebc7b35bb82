import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createChatCompletionsModel } from './chat-completions.ts';
import type { ModelEvent } from './model.ts';
import { readModel } from './read-model.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server | undefined;
afterEach(async () => {
  vi.useRealTimers();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
  server = undefined;
});

const delta = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const stop = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const prompt = [
  { role: 'system' as const, content: 'Rules' },
  { role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] },
];

async function modelFor(handler: Handler) {
  server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return createChatCompletionsModel({ name: 'main', baseUrl, model: 'm', apiKey: 'k' });
}

async function textOf(events: AsyncIterable<ModelEvent>): Promise<string> {
  let text = '';
  for await (const event of events)
    text +=
      event.type === 'text'
        ? event.text
        : `(${event.type === 'finish' ? event.reason : event.text})`;
  return text;
}

test('sends the prompt and reads the answer', async () => {
  let sent = '';
  let head: IncomingMessage | undefined;
  const model = await modelFor((request, response) => {
    head = request;
    request.setEncoding('utf8').on('data', (piece: string) => (sent += piece));
    request.once('end', () => response.end(delta('Hi') + delta(' there') + stop));
  });
  expect(await textOf(model.read({ prompt, maxOutputTokens: 9 }, undefined))).toBe(
    'Hi there(stop)',
  );
  expect(head?.url).toBe('/v1/chat/completions');
  expect(head?.headers.authorization).toBe('Bearer k');
  expect(JSON.parse(sent)).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Rules' },
      { role: 'user', content: 'Hello' },
    ],
    max_tokens: 9,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test('passes the first words at once, joins later ones, and never waits with the end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const begun = Promise.withResolvers<ServerResponse>();
  const model = await modelFor((_request, response) => {
    response.write(delta('The first word, '));
    begun.resolve(response);
  });
  const events = model.read({ prompt }, undefined)[Symbol.asyncIterator]();
  const next = async () => (await events.next()).value as ModelEvent;
  expect(await next()).toEqual({ type: 'text', text: 'The first word, ' });
  const response = await begun.promise;
  response.write(delta('x'.repeat(100)));
  expect(await next()).toEqual({ type: 'text', text: 'x'.repeat(100) });
  // The clock stands still, so only the end lets these pass, although they arrive one by one.
  const joined = next();
  for (const word of ['one ', 'by ', 'one']) {
    response.write(delta(word));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  response.end(stop);
  expect(await joined).toEqual({ type: 'text', text: 'one by one' });
  expect(await next()).toMatchObject({ type: 'finish', reason: 'stop' });
});

test('reuses a connection, and replaces one that the server closed', async () => {
  const sockets = new Set<Socket>();
  const model = await modelFor((request, response) => {
    sockets.add(request.socket);
    response.end(delta('Hi') + stop);
  });
  const timeouts = { firstWordMs: 60_000, nextWordMs: 60_000 };
  const log = { warn: () => undefined };
  const ask = () =>
    textOf(readModel([{ name: 'main', model, maxTokens: 100, timeouts }], { prompt }, { log }));
  await ask();
  await ask();
  expect(sockets.size).toBe(1);
  // Closed while the client still considers it idle, so the next request uses a dead connection.
  for (const socket of sockets) socket.resetAndDestroy();
  expect(await ask()).toBe('Hi(stop)');
  expect(sockets.size).toBe(2);
});

test('stops the model when the reader leaves, and when the signal fires', async () => {
  const left: Promise<unknown>[] = [];
  const model = await modelFor((_request, response) => {
    left.push(once(response, 'close'));
    response.write(delta('Hi'));
  });
  for await (const event of model.read({ prompt }, undefined)) {
    expect(event).toEqual({ type: 'text', text: 'Hi' });
    break;
  }
  await left[0];
  const controller = new AbortController();
  const reading = textOf(model.read({ prompt }, controller.signal));
  while (left.length < 2) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  await expect(reading).rejects.toThrow();
  await left[1];
});

test.each([
  ['with [DONE] alone, it is an end', 'Whole(stop)', `${delta('Whole')}data: [DONE]\n\n`],
  ['without either, it is an end', 'Whole(stop)', delta('Whole')],
  // Ollama ends so when its runner dies.
  ['after an empty chunk, it is an interruption', 'Half(interrupted)', delta('Half') + delta('')],
  ['without a word, it is an interruption', '(interrupted)', ': nothing\n\n'],
])('a whole response without a finish reason: %s', async (_what, expected, sent) => {
  const model = await modelFor((_request, response) => response.end(sent));
  expect(await textOf(model.read({ prompt }, undefined))).toBe(expected);
});

test('a response that breaks off without a finish reason is an interruption', async () => {
  const model = await modelFor((_request, response) => {
    response.write(delta('Half'));
    setImmediate(() => response.socket?.end());
  });
  await expect(textOf(model.read({ prompt }, undefined)).catch(() => 'broken')).resolves.toMatch(
    /^(?:broken|Half\(interrupted\))$/,
  );
});

test.each([
  ['Ollama', '{"error":"llama runner process has terminated"}\n\n'],
  ['older llama.cpp', 'error: {"code":500,"message":"failed"}\n\n'],
])('an error of %s in the middle of a stream is not an end', async (_who, line) => {
  const model = await modelFor((_request, response) => response.end(delta('Half') + line));
  await expect(textOf(model.read({ prompt }, undefined))).rejects.toThrow('reports an error');
});

test('reasoning by both names is told apart from text', async () => {
  const thought = (name: string) =>
    `data: ${JSON.stringify({ choices: [{ delta: { [name]: 'hm' } }] })}\n\n`;
  const model = await modelFor((_request, response) => {
    response.write(thought('reasoning'));
    response.end(`${thought('reasoning_content')}${delta('Hi')}data: [DONE]\n\n`);
  });
  const events = [];
  for await (const event of model.read({ prompt }, undefined)) events.push(event);
  expect(events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
    'reasoning',
    'text',
    'finish',
  ]);
});

test('reports a refusal with status and headers, and without the prompt', async () => {
  const model = await modelFor((_request, response) => {
    response.writeHead(429, { 'retry-after': '7' }).end('{"error":{"message":"slow down"}}');
  });
  const refused = await textOf(model.read({ prompt }, undefined)).catch((error: unknown) => error);
  expect(refused).toMatchObject({ statusCode: 429, responseHeaders: { 'retry-after': '7' } });
  expect(JSON.stringify(refused)).not.toContain('Hello');
});

test('pauses the model’s server for a slow reader', async () => {
  const size = 65_536;
  let isFull = false;
  const model = await modelFor((_request, response) => {
    const write = () => {
      for (let n = 0; n < 4_000 && !isFull; n++) isFull = !response.write(delta('x'.repeat(size)));
    };
    write();
    response.once('drain', () => response.end(stop));
  });
  let length = 0;
  for await (const event of model.read({ prompt }, undefined)) {
    if (event.type !== 'text') continue;
    if (length === 0) while (!isFull) await new Promise((resolve) => setImmediate(resolve));
    length += event.text.length;
  }
  expect(isFull).toBe(true);
  expect(length % size).toBe(0);
  expect(length).toBeGreaterThan(0);
});
