import { expect, test } from 'vitest';
import { isAllowedOrigin } from './site-cors.ts';

const list = [
  'https://docs.example.com',
  'https://*.acme.dev',
  'http://localhost:4321',
  'https://*.ports.dev:8443',
];

test.each([
  ['https://docs.example.com', true],
  ['https://DOCS.example.com', true],
  ['http://docs.example.com', false],
  ['https://docs.example.com:8443', false],
  ['https://docs.example.com.evil.test', false],
  ['https://evil-docs.example.com', false],
  ['https://a.acme.dev', true],
  ['https://a.b.acme.dev', true],
  ['https://acme.dev', false],
  ['https://evilacme.dev', false],
  ['https://evil.test/.acme.dev', false],
  ['https://evil.test#.acme.dev', false],
  ['https://evil.test@x.acme.dev', false],
  ['http://a.acme.dev', false],
  ['https://a.acme.dev:444', false],
  ['https://a.ports.dev:8443', true],
  ['https://a.ports.dev', false],
  ['http://localhost:4321', true],
  ['http://localhost:4322', false],
  ['null', false],
  ['', false],
])('%s is allowed: %s', (origin, allowed) => {
  expect(isAllowedOrigin(origin, list)).toBe(allowed);
});

test('a star allows every origin, also the one without a name', () => {
  expect(isAllowedOrigin('https://any.test', ['*'])).toBe(true);
  expect(isAllowedOrigin('null', ['*'])).toBe(true);
});

test('an empty list allows none', () => {
  expect(isAllowedOrigin('https://any.test', [])).toBe(false);
});
