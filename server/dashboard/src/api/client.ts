/** Requests to the service. */
import { signal } from '@preact/signals';
import type { ErrorBody, ErrorDetail } from '@docent/shared/errors';
import type { SessionReply } from '@docent/shared/people';
import { serviceUrl } from '../base.ts';
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
): Promise<T> {
  return request(method, path, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
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

async function request<T>(method: string, path: string, init: RequestInit): Promise<T> {
  const response = await fetch(serviceUrl(path), { method, ...init }).catch((error: unknown) => {
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
