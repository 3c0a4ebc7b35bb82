/**
 * A zoo of local model servers: one HTTP server that behaves as the personality that it's named after. Each
 * behavior has its source in a comment, beside it. Start one by hand with `pnpm zoo <personality> [trap…]`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { type ChatOptions, createChat } from './chat.ts';
import { createEmbeddings, type EmbeddingOptions } from './embeddings.ts';
import { personalities, type Personality, sendJson, type ZooCall } from './wire.ts';

export interface ZooOptions {
  embeddings?: EmbeddingOptions;
  chat?: ChatOptions;
}

export type Zoo = Awaited<ReturnType<typeof startZoo>>;

export async function startZoo(personality: Personality, options: ZooOptions = {}) {
  const calls: Omit<ZooCall, 'response'>[] = [];
  const embeddings = createEmbeddings(personality, options.embeddings);
  const chat = createChat(personality, options.chat);
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const left = new AbortController();
    response.once('close', () => left.abort());
    const raw = await readAll(request);
    const { response: _, ...seen } = {
      method: request.method ?? 'GET',
      path: new URL(request.url ?? '/', origin).pathname,
      headers: request.headers,
      body: toJson(raw),
      bodyLength: Buffer.byteLength(raw),
      left: left.signal,
      response,
    };
    calls.push(seen);
    const call: ZooCall = { ...seen, response };
    if ((await embeddings.routes(call)) || (await chat.routes(call)) || left.signal.aborted) return;
    sendJson(response, 404, { error: { message: `no route ${call.method} ${call.path}` } });
  }

  return {
    personality,
    origin,
    /** For `baseUrl`. */
    url: `${origin}/v1`,
    calls,
    embeddings,
    chat,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}

function toJson(raw: string): Record<string, unknown> {
  try {
    return JSON.parse(raw) as Record<string, unknown>;
  } catch {
    return {};
  }
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [name = '', ...traps] = positionals;
  const personality = personalities.find((one) => one === name);
  if (!personality) throw new Error(`Name a personality: ${personalities.join(', ')}.`);
  const zoo = await startZoo(personality, { embeddings: { traps }, chat: { traps } });
  console.log(`${personality} ${traps.join(' ')} at ${zoo.url}; stop it with Ctrl+C.`);
}
