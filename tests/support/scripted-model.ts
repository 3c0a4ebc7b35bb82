import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { embeddingsWire } from './embeddings-wire.ts';
import { chatWire, type Tokens, type ToolCall, wireOf } from './model-wires.ts';

/** One thing that the model does while it answers. */
export type Step =
  /** Sends a piece of text. */
  | string
  /** Goes on when the test lets it. */
  | { wait: Promise<unknown> }
  /** Sends text that it makes of what it was asked. */
  | { reply: (request: ModelRequest) => string }
  /** Calls a tool; several in one answer are parallel calls. */
  | { call: string; input?: unknown }
  /** Calls a tool with arguments that are sent as they stand, such as broken JSON. */
  | { call: string; arguments: string }
  /** What the answer is said to have cost; else 100 tokens, and one for each piece of text. */
  | { usage: Partial<Tokens> }
  /** Why it ends, in OpenAI's words; `stop` where it does not say. */
  | { end: 'length' | 'content_filter' | 'tool_calls' }
  /** Sends what is no piece of an answer, as it stands. */
  | { raw: string }
  | typeof silence
  | typeof cut;

/** Says nothing more; the connection stays open. */
export const silence = { say: 'nothing' } as const;

/** Breaks the connection. */
export const cut = { say: 'goodbye' } as const;

/** A whole answer: its steps, an HTTP error, or not even a status line; or what chooses one by what was asked. */
export type Script = Answer | ((request: ModelRequest) => Answer);

export type Answer =
  | Step[]
  | { status: number; headers?: Record<string, string>; body?: unknown }
  | 'mute';

export interface ModelRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: {
    model?: string;
    stream?: boolean;
    messages?: { role: string; content: unknown }[];
    [key: string]: unknown;
  };
  /** Everything that was asked, as one text to search in. */
  text: string;
  tokensSent: number;
  /** Settles when the client closed the connection before the answer was whole. */
  gone: Promise<void>;
}

export type ScriptedModel = Awaited<ReturnType<typeof startScriptedModel>>;

/** A door that is shut until it is opened. */
export function gate(): { wait: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { wait: promise, open: resolve };
}

/** A language model server that speaks the OpenAI wire and says what a test tells it to. */
export async function startScriptedModel(always: Script = ['Kestrel answers', ' in words. [1]']) {
  const queue: Script[] = [];
  const requests: ModelRequest[] = [];
  const arrivals = new EventTarget();
  let standing = always;

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // What a hosted server says to who asks which server it is.
    if (request.method === 'GET') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"not found"}}');
      return;
    }
    const next = queue.shift();
    const raw = await readAll(request);
    const body = JSON.parse(raw) as ModelRequest['body'];
    const gone = Promise.withResolvers<void>();
    const seen: ModelRequest = {
      path: request.url ?? '',
      headers: request.headers,
      body,
      text: raw,
      tokensSent: 0,
      gone: gone.promise,
    };
    const left = new AbortController();
    response.once('close', () => {
      left.abort();
      if (!response.writableFinished) gone.resolve();
    });
    requests.push(seen);
    const chosen = next ?? standing;
    const script = typeof chosen === 'function' ? chosen(seen) : chosen;
    arrivals.dispatchEvent(new Event('request'));

    if (Array.isArray(script) && request.url?.endsWith('/embeddings')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(embeddingsWire(body)));
      return;
    }
    if (script === 'mute') return;
    if (!Array.isArray(script)) {
      response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
      response.end(JSON.stringify(script.body ?? { error: { message: 'scripted fault' } }));
      return;
    }
    const wire = wireOf(request.url ?? '');
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const texts = script.filter((step) => typeof step === 'string');
      const calls = script.filter((step) => typeof step === 'object' && 'call' in step);
      const whole = chatWire.whole(texts.join(''), calls.map(toCall), costOf(script, texts.length));
      response.end(JSON.stringify(whole));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    for (const line of wire.begin()) response.write(line);
    let reason: string | undefined;
    for (const each of script) {
      const step = typeof each === 'object' && 'reply' in each ? each.reply(seen) : each;
      if (left.signal.aborted) return;
      if (step === silence) return;
      if (step === cut) {
        response.socket?.resetAndDestroy();
        return;
      }
      if (typeof step === 'object') {
        if ('wait' in step) await Promise.race([step.wait, once(left.signal, 'abort')]);
        if ('end' in step) reason = step.end;
        if ('raw' in step) response.write(step.raw);
        if ('call' in step) for (const line of wire.call(toCall(step))) response.write(line);
      } else {
        // One write an event, so that it arrives as it would from a real model.
        await new Promise<void>((resolve) => {
          if (response.write(wire.delta(step))) setImmediate(resolve);
          else {
            const goOn = () => {
              response.off('drain', goOn).off('close', goOn);
              resolve();
            };
            response.on('drain', goOn).on('close', goOn);
          }
        });
        seen.tokensSent += 1;
      }
    }
    for (const line of wire.end(body, costOf(script, seen.tokensSent), reason))
      response.write(line);
    response.end();
  }

  return {
    url,
    requests,
    /** What every request from now on gets, unless something is queued. */
    reply(script: Script) {
      standing = script;
    },
    /** What the next request gets. */
    once(script: Script) {
      queue.push(script);
    },
    /** What the next question gets, which is asked three times if its failure may pass. */
    onceAndAgain(script: Script) {
      queue.push(script, script, script);
    },
    /** Forgets what further requests were to get. */
    clear() {
      queue.length = 0;
    },
    /** The n-th request, counted from 1; waits until it has come. */
    async request(n: number): Promise<ModelRequest> {
      for (;;) {
        const found = requests[n - 1];
        if (found) return found;
        await once(arrivals, 'request');
      }
    },
    get last(): ModelRequest {
      const found = requests.at(-1);
      if (!found) throw new Error('The model was never asked');
      return found;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    [Symbol.asyncDispose]() {
      return this.close();
    },
  };
}

let calls = 0;

function toCall(step: Extract<Step, { call: string }>): ToolCall {
  const input = 'arguments' in step ? step.arguments : JSON.stringify(step.input ?? {});
  return { id: `call_${++calls}`, name: step.call, input };
}

function costOf(script: Step[], tokensSent: number): Tokens {
  const said = script.find((step) => typeof step === 'object' && 'usage' in step);
  return { input: 100, output: tokensSent, ...said?.usage };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}
