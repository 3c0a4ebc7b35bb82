import { expect, test } from 'vitest';
import { blockingDirectives } from './check-site.ts';

const page = 'https://docs.acme.dev/';
const script = 'https://docent.acme.dev/docent.js';

test.each<[what: string, policy: string, blocking: string[], hasNonce?: boolean]>([
  ['nothing about scripts', "img-src 'self'", []],
  ['everything', 'default-src *', []],
  ['nothing', "default-src 'none'", ['default-src', 'default-src']],
  ['the own site only', "script-src 'self'; connect-src 'self'", ['script-src', 'connect-src']],
  ['the service', "script-src 'self' https://docent.acme.dev; connect-src docent.acme.dev", []],
  ['a scheme and a wildcard', 'script-src https:; connect-src *.acme.dev', []],
  ['another scheme', 'connect-src http://docent.acme.dev', ['connect-src']],
  ['a nonce', "script-src 'nonce-x'; connect-src https://docent.acme.dev", [], true],
  ['a nonce that the tag lacks', "script-src 'nonce-x'", ['script-src']],
  ['the more exact directive', "script-src-elem 'self'; script-src *", ['script-src-elem']],
  ['two policies', "script-src *, connect-src 'self'", ['connect-src']],
])('%s', (_what, policy, blocking, hasNonce = false) => {
  expect(blockingDirectives([policy], { page, script, hasNonce })).toEqual(blocking);
});

test('a service below the site is itself', () => {
  const own = { page, script: 'https://docs.acme.dev/docent/docent.js', hasNonce: false };
  expect(blockingDirectives(["default-src 'self'"], own)).toEqual([]);
});
