/** Requests to the service. */
import { signal } from '@preact/signals';
import { shareHeader } from '@docent/shared/share-header';
import type { ErrorBody, ErrorDetail } from '@docent/shared/errors';
import type { SessionReply } from '@docent/shared/people';
import { serviceUrl, shareToken } from '../base.ts';
import { session } from '../session.ts';

/** `message` is one sentence for people. `details` name the wrong fields of a form. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ErrorBody['code'] | 'unreachable';
  readonly details: readonly ErrorDetail[];

  constructor(status: number, code: ApiError['code'], message: string, details?: ErrorDetail[]) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details ?? [];
  }
}

export type Query = Record<string, string | number | boolean | undefined>;

/** `lost` until the service answers again. Loaded data follows it: see `load.ts`. */
export const connection = signal<'ok' | 'lost'>('ok');

export function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return request('GET', path + toSearch(query), { ...(signal && { signal }) });
}

export function send<T = void>(
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body: object = {},
  /** The same request sent again has no further effect. */
  idempotencyKey?: string,
): Promise<T> {
  return request(method, path, {
    headers: {
      'Content-Type': 'application/json',
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  });
}

/**
 * Reads server-sent events until the stream is complete, or `signal` aborts. After a break it goes on behind
 * the last one.
 */
export async function follow(
  path: string,
  lastId: () => number,
  onData: (data: unknown) => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const headers = { ...shareHeaders, 'Last-Event-ID': String(lastId()) };
      const response = await fetch(serviceUrl(path), { headers, signal });
      if (response.status === 204 || (response.status >= 400 && response.status < 500)) return;
      const before = lastId();
      if (response.ok && response.body) await readEvents(response.body, onData);
      // The service ends the stream of a job that has ended, and then has nothing new.
      if (lastId() > before) continue;
    } catch (error) {
      if (signal.aborted) return;
      console.debug(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

async function readEvents(body: ReadableStream<Uint8Array>, onData: (data: unknown) => void) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, data] = /^data: (.*)$/m.exec(block) ?? [];
      if (data !== undefined) onData(JSON.parse(data));
    }
  }
}

/** `?site=a&limit=20`, without empty values; or nothing. */
export function toSearch(query: Query): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return search.size > 0 ? `?${search}` : '';
}

/** Asks who is signed in. The whole dashboard follows the answer. */
export async function loadSession(): Promise<void> {
  session.value = await get<SessionReply>('/v1/session');
}

/** Signs in, out, and over. The answer is the new session. */
export async function changeSession(
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<void> {
  session.value = await send<SessionReply>(method, path, body);
}

const shareHeaders: Record<string, string> =
  shareToken === undefined ? {} : { [shareHeader]: shareToken };

async function request<T>(method: string, path: string, init: RequestInit): Promise<T> {
  const headers = { ...shareHeaders, ...(init.headers as Record<string, string>) };
  const sent = fetch(serviceUrl(path), { method, ...init, headers });
  const response = await sent.catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    return lost();
  });
  if (response.status === 204) return undefined as T;
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  // A proxy without the service behind it answers in HTML.
  if (!isJson && response.status >= 502) return lost();
  const body: unknown = isJson ? await response.json().catch(lost) : await response.text();
  connection.value = 'ok';
  if (response.ok) return body as T;
  const { code = 'internal', error, details } = (isJson ? body : {}) as Partial<ErrorBody>;
  const isSignedIn = session.peek()?.state === 'signed-in';
  // The session has ended. The page stays below the sign-in screen, with what was typed.
  if (response.status === 401 && isSignedIn) await loadSession();
  throw new ApiError(response.status, code, error ?? 'Something went wrong.', details);
}

function lost(): never {
  if (connection.peek() === 'ok') void reconnect();
  throw new ApiError(0, 'unreachable', 'Docent can’t be reached. Check your connection.');
}

const maxDelayMs = 30_000;

async function reconnect(): Promise<void> {
  connection.value = 'lost';
  for (let delayMs = 1000; ; delayMs = Math.min(delayMs * 2, maxDelayMs)) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, delayMs);
      addEventListener('online', done);
      function done() {
        clearTimeout(timer);
        removeEventListener('online', done);
        resolve();
      }
    });
    const response = await fetch(serviceUrl('/v1/session')).catch(() => undefined);
    if (!response || (response.status >= 502 && response.status <= 504)) continue;
    connection.value = 'ok';
    return;
  }
}
