import { promises } from '@docent/shared/promises';

export interface Part {
  type: string;
  [key: string]: unknown;
}

/** A whole answer as a caller without an SDK sees it. */
export interface Asked {
  status: number;
  headers: Headers;
  /** Every byte of the body. */
  raw: string;
  /** The events that a reader following the standard is given. */
  parts: Part[];
  /** The text of the answer. */
  text: string;
  /** The body, where it is JSON: an error. */
  json: Record<string, unknown>;
}

export interface AskOptions {
  key?: string | undefined;
  domain?: string | undefined;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  threadId?: string | null | undefined;
}

/** The shortest body that a caller without an SDK sends. */
export function toBody(question: string, more: Record<string, unknown> = {}) {
  return {
    fp: 'anonymous',
    retrievalPageSize: promises.retrievalPageSizeDefault,
    messages: [{ id: 'q', role: 'user', parts: [{ type: 'text', text: question }] }],
    ...more,
  };
}

export function createAsker(url: string, defaults: { key: string; domain: string }) {
  function post(body: unknown, options: AskOptions = {}): Promise<Response> {
    const { key = defaults.key, domain = defaults.domain, headers, signal } = options;
    return fetch(`${url}/discovery/v2/assistant/${domain}/message`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== '' && { authorization: `Bearer ${key}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal && { signal }),
    });
  }
  /** A request about an answer, by the chat's id or the message's. */
  function about(id: string, what: string, options: AskOptions = {}): Promise<Response> {
    const { key = defaults.key, domain = defaults.domain, headers, signal } = options;
    const [, action = ''] = /^([a-z]+)/.exec(what) ?? [];
    const path = `/discovery/v2/assistant/${domain}/message/${encodeURIComponent(id)}/${what}`;
    return fetch(url + path, {
      method: action === 'stop' ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, ...headers },
      ...(signal && { signal }),
    });
  }
  const bodyOf = (question: string | object, { threadId }: AskOptions) =>
    typeof question === 'string'
      ? toBody(question, threadId === undefined ? {} : { threadId })
      : question;

  return {
    post,
    /** Reads an answer again, from its first part or after `skip` parts. */
    resume: async (
      id: string,
      { skip, ...options }: AskOptions & { skip?: number | string } = {},
    ) => {
      const leave = new AbortController();
      const what = skip === undefined ? 'stream' : `stream?skip=${skip}`;
      const response = await about(id, what, { ...options, signal: leave.signal });
      return { response, parts: partsOf(response), leave: () => leave.abort() };
    },
    stop: (id: string, options: AskOptions = {}) => about(id, 'stop', options),
    /** Asks, and reads the answer to its end. */
    ask: async (question: string | object, options: AskOptions = {}): Promise<Asked> => {
      const response = await post(bodyOf(question, options), options);
      return toAsked(response, await response.text());
    },
    /** Asks, and gives the parts as they come. */
    open: async (question: string | object, options: AskOptions = {}) => {
      const leave = new AbortController();
      const response = await post(bodyOf(question, options), { ...options, signal: leave.signal });
      return { response, parts: partsOf(response), leave: () => leave.abort() };
    },
  };
}

async function toAsked(response: Response, raw: string): Promise<Asked> {
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const parts = isJson ? [] : readEvents(raw).parts;
  return {
    status: response.status,
    headers: response.headers,
    raw,
    parts,
    text: textOf(parts),
    json: isJson ? (JSON.parse(raw) as Record<string, unknown>) : {},
  };
}

export function textOf(parts: Part[]): string {
  return parts
    .filter((part) => part.type === 'text-delta')
    .map((part) => part['delta'])
    .join('');
}

export function partOf(parts: Part[], type: string): Part | undefined {
  return parts.find((part) => part.type === type);
}

/** Server-sent events by the standard: a blank line dispatches, what follows the last one is not dispatched. */
export function readEvents(raw: string): { parts: Part[]; rest: string } {
  const blocks = raw.split('\n\n');
  const rest = blocks.pop() ?? '';
  const data = blocks.flatMap((block) =>
    block.split('\n').filter((line) => line.startsWith('data: ')),
  );
  const parts = data
    .map((line) => line.slice('data: '.length))
    .filter((json) => json !== '[DONE]')
    .map((json) => JSON.parse(json) as Part);
  return { parts, rest };
}

async function* partsOf(response: Response): AsyncGenerator<Part, void, undefined> {
  let buffer = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    buffer += decoder.decode(bytes, { stream: true });
    const { parts, rest } = readEvents(buffer);
    buffer = rest;
    yield* parts;
  }
}

/** Reads until a part of this type has come; gives back all that came, that one included. */
export async function readUntil(
  parts: AsyncGenerator<Part, void, undefined>,
  type: string,
): Promise<Part[]> {
  const seen: Part[] = [];
  for (;;) {
    const next = await parts.next();
    if (next.done) {
      const types = seen.map((part) => part.type).join(', ');
      throw new Error(`The stream ended before a ${type} part; it had: ${types}`);
    }
    seen.push(next.value);
    if (next.value.type === type) return seen;
  }
}

/** What is left of a stream. */
export async function readRest(parts: AsyncGenerator<Part, void, undefined>): Promise<Part[]> {
  const seen: Part[] = [];
  for await (const part of parts) seen.push(part);
  return seen;
}

/** The error that an answer ended with; its text is the JSON body of any other error. */
export function errorOf(parts: Part[]): Record<string, unknown> | undefined {
  const part = partOf(parts, 'error');
  return part && (JSON.parse(part['errorText'] as string) as Record<string, unknown>);
}
