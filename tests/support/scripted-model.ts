import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One thing that the model does while it answers. */
export type Step =
  /** Sends a piece of text. */
  | string
  /** Goes on when the test lets it. */
  | { wait: Promise<unknown> }
  /** Sends what is no piece of an answer, as it stands. */
  | { raw: string }
  | typeof silence
  | typeof cut;

/** Says nothing more; the connection stays open. */
export const silence = { say: 'nothing' } as const;

/** Breaks the connection. */
export const cut = { say: 'goodbye' } as const;

/** A whole answer: its steps, an HTTP error, or not even a status line. */
export type Script =
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
    const script = queue.shift() ?? standing;
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
    arrivals.dispatchEvent(new Event('request'));

    if (script === 'mute') return;
    if (!Array.isArray(script)) {
      response.writeHead(script.status, { 'content-type': 'application/json', ...script.headers });
      response.end(JSON.stringify(script.body ?? { error: { message: 'scripted fault' } }));
      return;
    }
    const wire = request.url?.endsWith('/responses') ? responsesWire : chatWire;
    if (body.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(chatWire.whole(script.filter((step) => typeof step === 'string'))),
      );
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    for (const line of wire.begin()) response.write(line);
    for (const step of script) {
      if (left.signal.aborted) return;
      if (step === silence) return;
      if (step === cut) {
        response.socket?.resetAndDestroy();
        return;
      }
      if (typeof step === 'object') {
        if ('wait' in step) await Promise.race([step.wait, once(left.signal, 'abort')]);
        if ('raw' in step) response.write(step.raw);
      } else {
        // One write an event, so that it arrives as it would from a real model.
        await new Promise<void>((resolve) => {
          if (response.write(wire.delta(step))) setImmediate(resolve);
          else response.once('drain', resolve).once('close', resolve);
        });
        seen.tokensSent += 1;
      }
    }
    for (const line of wire.end(body, seen.tokensSent)) response.write(line);
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

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece as string;
  return text;
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const usage = (tokens: number) => ({
  prompt_tokens: 100,
  completion_tokens: tokens,
  total_tokens: 100 + tokens,
});

/** `POST /v1/chat/completions` */
const chatWire = {
  chunk: (delta: object, finish: string | null = null) =>
    event({
      id: 'chatcmpl-scripted',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  begin: () => [chatWire.chunk({ role: 'assistant', content: '' })],
  delta: (content: string) => chatWire.chunk({ content }),
  end: (body: ModelRequest['body'], tokens: number) => {
    const options = body['stream_options'] as { include_usage?: boolean } | undefined;
    return [
      chatWire.chunk({}, 'stop'),
      ...(options?.include_usage
        ? [event({ id: 'chatcmpl-scripted', choices: [], usage: usage(tokens) })]
        : []),
      'data: [DONE]\n\n',
    ];
  },
  whole: (texts: string[]) => ({
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'scripted',
    choices: [
      { index: 0, message: { role: 'assistant', content: texts.join('') }, finish_reason: 'stop' },
    ],
    usage: usage(texts.length),
  }),
};

/** `POST /v1/responses`, as far as the AI SDK's `openai` provider reads it. */
const responsesWire = {
  begin: () => [
    event({
      type: 'response.created',
      sequence_number: 0,
      response: { id: 'resp_1', created_at: 1_700_000_000, model: 'scripted' },
    }),
    event({
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'in_progress', role: 'assistant', content: [] },
    }),
  ],
  delta: (delta: string) =>
    event({
      type: 'response.output_text.delta',
      sequence_number: 2,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta,
    }),
  end: (_body: ModelRequest['body'], tokens: number) => [
    event({
      type: 'response.output_item.done',
      sequence_number: 3,
      output_index: 0,
      item: { type: 'message', id: 'msg_1', status: 'completed', role: 'assistant', content: [] },
    }),
    event({
      type: 'response.completed',
      sequence_number: 4,
      response: { usage: { input_tokens: 100, output_tokens: tokens } },
    }),
  ],
};
