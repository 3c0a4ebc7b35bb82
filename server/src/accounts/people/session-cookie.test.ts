import type { Request } from 'express';
import { expect, test } from 'vitest';
import { requireOwnPage } from './sign-in.ts';

function accepts(headers: Record<string, string>, publicUrl?: string): boolean {
  const all: Record<string, string> = { 'content-type': 'application/json', ...headers };
  const request = {
    method: 'POST',
    headers: all,
    get: (name: string) => all[name],
    is: () => 'application/json',
  };
  try {
    requireOwnPage(request as unknown as Request, publicUrl);
    return true;
  } catch {
    return false;
  }
}

test('a change comes from our own page, over HTTPS or on this machine', () => {
  const host = 'docent.test';
  expect(accepts({ host, origin: 'https://docent.test' })).toBe(true);
  // Somebody on the way can send this page, and a browser that knows no `Sec-Fetch-Site` the cookie.
  expect(accepts({ host, origin: 'http://docent.test' })).toBe(false);
  expect(accepts({ host, origin: 'https://docent.test', 'sec-fetch-site': 'cross-site' })).toBe(
    false,
  );
  expect(accepts({ host: 'localhost:4320', origin: 'http://localhost:4320' })).toBe(true);
  expect(accepts({ host: 'localhost:4320', origin: 'http://localhost:3000' })).toBe(false);
  // A proxy that doesn't pass the host on.
  expect(accepts({ host: '10.0.0.5:4320', origin: 'https://docent.test' })).toBe(false);
  expect(
    accepts({ host: '10.0.0.5:4320', origin: 'https://docent.test' }, 'https://docent.test/docs'),
  ).toBe(true);
  expect(accepts({ host, 'sec-fetch-site': 'same-origin' })).toBe(true);
  expect(accepts({ host })).toBe(false);
});
