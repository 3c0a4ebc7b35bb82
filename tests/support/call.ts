import { expect } from 'vitest';
import type { TestDocent } from './start-docent.ts';

export interface Called<Body> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface CallOptions {
  /** `''` sends none. */
  key?: string;
  headers?: Record<string, string>;
}

/** Sends JSON to a path of the service and reads JSON back. */
export async function postJson<Body = Record<string, unknown>>(
  docent: Pick<TestDocent, 'url' | 'key'>,
  path: string,
  body: unknown,
  { key = docent.key, headers }: CallOptions = {},
): Promise<Called<Body>> {
  const response = await fetch(docent.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== '' && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: await readJson(response) };
}

/** Reads JSON from a path of the service. */
export async function getJson<Body = Record<string, unknown>>(
  docent: Pick<TestDocent, 'url' | 'key'>,
  path: string,
  { key = docent.key, headers }: CallOptions = {},
): Promise<Called<Body>> {
  const response = await fetch(docent.url + path, {
    headers: { ...(key !== '' && { authorization: `Bearer ${key}` }), ...headers },
  });
  return { status: response.status, headers: response.headers, body: await readJson(response) };
}

async function readJson<Body>(response: Response): Promise<Body> {
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

/** The headers of a deprecated endpoint, as RFC 9745, RFC 8594, and RFC 5829 have them. */
export function expectDeprecated(headers: Headers, successor: string): void {
  const since = Number(/^@(\d+)$/.exec(headers.get('deprecation') ?? '')?.[1]) * 1_000;
  const sunset = headers.get('sunset') ?? '';
  expect(since).toBeLessThan(Date.parse(sunset));
  expect(new Date(sunset).toUTCString()).toBe(sunset);
  expect(headers.get('link')).toContain(`<${successor}>; rel="successor-version"`);
}
