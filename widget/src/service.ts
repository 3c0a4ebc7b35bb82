/** Requests to the service beside the chat itself: with the site's key, without cookies. */
import type { ReadonlySignal } from '@preact/signals';
import { toJson } from './json.ts';
import type { Settings } from './settings.ts';

export interface Call {
  /** One thing below the endpoint: `…/discovery/v1/feedback/docs.example.com/<item>`. */
  item?: string;
  /** Sent as JSON, by POST. */
  body?: unknown;
  method?: 'GET' | 'POST' | 'DELETE';
  signal?: AbortSignal;
  /** Outlives the page. */
  keepalive?: boolean;
  headers?: Record<string, string>;
}

export interface Service {
  /** The address of an endpoint of this site: `/discovery/v1/search` becomes `…/discovery/v1/search/docs.example.com`. */
  url: (path: string) => string;
  call: (path: string, call?: Call) => Promise<Response>;
}

export function createService(
  settings: ReadonlySignal<Settings>,
  isAllowed: ReadonlySignal<boolean>,
): Service {
  const url = (path: string) => {
    const { base, site } = settings.value;
    return `${base}${path}/${encodeURIComponent(site)}`;
  };
  return {
    url,
    call: async (path, { item, body, method, signal, keepalive = false, headers } = {}) => {
      if (!isAllowed.peek()) throw new Error('The reader has not agreed');
      return fetch(item === undefined ? url(path) : `${url(path)}/${encodeURIComponent(item)}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        credentials: 'omit',
        keepalive,
        signal: signal ?? null,
        headers: {
          authorization: `Bearer ${settings.value.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : toJson(body),
      });
    },
  };
}
