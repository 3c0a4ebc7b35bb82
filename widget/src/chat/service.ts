/** Requests to the service: with the site's key, without cookies. */
import type { ReadonlySignal } from '@preact/signals';
import { toJson } from './json.ts';
import type { Settings } from '../loader/settings.ts';

export interface Call {
  /** The rest of the path: `…/discovery/v2/assistant/docs.example.com/message/<id>`. */
  below?: readonly string[];
  query?: string;
  /** Sent as JSON, with POST. */
  body?: unknown;
  method?: 'GET' | 'POST' | 'DELETE';
  signal?: AbortSignal;
  /** The request continues after the page is closed. */
  keepalive?: boolean;
  headers?: Record<string, string>;
}

export type Service = ReturnType<typeof createService>;

export function createService(
  settings: ReadonlySignal<Settings>,
  isAllowed: ReadonlySignal<boolean>,
) {
  return {
    /** `/discovery/v1/search` becomes `…/discovery/v1/search/docs.example.com`. */
    async call(path: string, given: Call = {}): Promise<Response> {
      const { below = [], query = '', body, method, signal, keepalive = false, headers } = given;
      if (!isAllowed.peek()) throw new Error('The reader has not agreed');
      const { base, site, key } = settings.peek();
      const address = [base + path, ...[site, ...below].map(encodeURIComponent)].join('/');
      return fetch(address + query, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        credentials: 'omit',
        keepalive,
        signal: signal ?? null,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : toJson(body),
      });
    },
  };
}
