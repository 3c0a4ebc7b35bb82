import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeSecret, makeToken } from '../auth/tokens.ts';
import { redact } from './redact.ts';

/** Deterministic, so that a failure can be looked at again. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const next = random(7);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const from = (alphabet: string, length: number) =>
  Array.from({ length }, () => alphabet[next(alphabet.length)]).join('');
const any = (length: number) => `a1B2${from(letters, length - 4)}`;
const upper = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';

/** Built here: what is committed holds nothing that looks like a key. */
const makers: [what: string, make: () => string][] = [
  ['our assistant key', () => makeToken('assistant')],
  ['our admin key', () => makeToken('admin')],
  ['a session or a link of ours', () => makeSecret()],
  ['OpenAI', () => `sk-${any(48)}`],
  ['OpenAI project', () => `sk-proj-${any(60)}_${any(20)}-${any(40)}`],
  ['Anthropic', () => `sk-ant-api03-${any(80)}`],
  ['GitHub', () => `ghp_${any(36)}`],
  ['GitHub app', () => `ghs_${any(36)}`],
  ['GitHub fine-grained', () => `github_pat_${any(22)}_${any(59)}`],
  ['GitLab', () => `glpat-${any(20)}`],
  ['AWS', () => `AKIA${from(upper, 16)}`],
  ['Google', () => `AIza${any(35)}`],
  ['Slack', () => `xoxb-${from('123456789', 12)}-${any(24)}`],
  ['Stripe', () => `sk_live_${any(24)}`],
  ['Stripe restricted', () => `rk_test_${any(24)}`],
  ['npm', () => `npm_${any(36)}`],
  ['Hugging Face', () => `hf_${any(34)}`],
  ['SendGrid', () => `SG.${any(22)}.${any(43)}`],
  ['a JSON web token', () => `eyJ${any(30)}.eyJ${any(60)}.${any(43)}`],
];

const around: [before: string, after: string][] = [
  ['', ''],
  ['my key is ', ', why?'],
  ['KEY=', '\nNEXT=1'],
  ['{"key":"', '"}'],
  ['`', '`'],
  ['(', ')'],
  ['> ', '.'],
  ['ключ ', ' не работает'],
];

describe('keys', () => {
  test.each(makers)('%s', (_what, make) => {
    for (const [before, after] of around) {
      const secret = make();
      const clean = redact(before + secret + after);
      expect(clean).not.toContain(secret.slice(-12));
      expect(clean.startsWith(before) || before.endsWith('=')).toBe(true);
      expect(clean).toMatch(/\[redacted (key|token|secret)\]/);
      expect(clean.replace(/\W+$/, '')).not.toContain(secret);
      if (!after.startsWith('.')) expect(clean.endsWith(after)).toBe(true);
    }
  });

  test.each([
    ['Authorization: Bearer ', any(32)],
    ['authorization: Basic ', 'dXNlcjpodW50ZXIyMTIz'],
    ['"Authorization":"Bearer ', `${any(20)}.${any(20)}`],
    ['curl -H "X-Api-Key: ', any(32)],
    ['aws_secret_access_key = ', any(40)],
    ['password: ', 'hunter2-Is-My-Pa55'],
    ['?access_token=', any(40)],
  ])('%s…', (before, secret) => {
    const clean = redact(`${before}${secret}" and so on`);
    expect(clean).not.toContain(secret);
    expect(clean).toMatch(/and so on$/);
    expect(clean.startsWith(before)).toBe(true);
  });

  test('a private key, whole, cut, and written into a string', () => {
    const lines = Array.from({ length: 12 }, () => any(64)).join('\n');
    const kinds = ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED '];
    for (const kind of kinds) {
      const key = `-----BEGIN ${kind}PRIVATE KEY-----\n${lines}\n-----END ${kind}PRIVATE KEY-----`;
      expect(redact(`a ${key}`)).not.toContain(lines.slice(0, 10));
      expect(redact(`a ${key}`)).not.toContain(lines.slice(-10));
      expect(redact(key.slice(0, -90))).not.toContain(lines.slice(100, 140));
      expect(redact(JSON.stringify({ key }))).not.toContain(lines.slice(0, 10));
    }
  });

  test('a password in an address', () => {
    expect(redact('postgres://docent:tr0ub4dor@db.internal:5432/x')).toBe(
      'postgres://docent:[redacted password]@db.internal:5432/x',
    );
    expect(redact('redis://:s3cr3tpw@cache')).toBe('redis://:[redacted password]@cache');
  });
});

describe('personal data', () => {
  test.each([
    'jane.doe@example.com',
    'j+tag@mail.example.co.uk',
    'JANE_DOE@EXAMPLE.ORG',
    'jürgen@müller.de',
    'a@b.io',
    'jane.doe@`example.com`',
  ])('%s', (mail) => {
    for (const [before, after] of [
      ['', ''],
      ['mailto:', '?subject=x'],
      ['<', '>'],
      ['write to ', '.'],
      ['"', '"'],
      ['(', '),'],
    ] as const) {
      expect(redact(before + mail + after)).toBe(`${before}[redacted e-mail]${after}`);
    }
  });

  test.each([
    '4111 1111 1111 1111',
    '4242424242424242',
    '5555-5555-5555-4444',
    '378282246310005',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
  ])('card %s', (card) => {
    expect(redact(`My card ${card} was charged`)).toBe(
      'My card [redacted card number] was charged',
    );
    expect(redact(`card:${card}, cvc`)).toBe('card:[redacted card number], cvc');
    const off = card.replace(/\d$/, (digit) => String((Number(digit) + 1) % 10));
    expect(redact(off)).toBe(off);
  });
});

describe('text without secrets stays', () => {
  test.each([
    'git@github.com:acme/docs.git',
    'logo@2x.png and react@18.2.0 and npm i @ai-sdk/react@latest',
    'Authorization: Bearer <token>',
    'Authorization: Bearer YOUR_API_KEY_GOES_HERE',
    'export OPENAI_API_KEY=sk-your-key-goes-here-please',
    'const apiKey = process.env.OPENAI_API_KEY_2',
    'token: config.auth.token2.value',
    'token = await getAccessTokenSilently2()',
    `AKIA${'IOSFODNN7EXAMPLE'}`,
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'postgres://user:password@localhost:5432/app',
    'postgres://user:password@db.example.com:5432/app',
    'https://user:${TOKEN}@github.com/acme/x',
    '550e8400-e29b-41d4-a716-446655440000',
    'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'commit 4111111111111111111111111111111111111111',
    '1700000000000 and 20261121154843123',
    'order 4000 0000 0000 0000 0000 0000',
    'basic internationalization settings',
    'sk-learn-some-longer-package-name',
    'token: string; password: undefined',
    'grid-template-columns: 1fr',
  ])('%s', (text) => expect(redact(text)).toBe(text));

  test('the documentation of this product, word for word', () => {
    const folder = fileURLToPath(new URL('../../../../demo-site/docs', import.meta.url));
    const pages = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((file) =>
      file.endsWith('.md'),
    );
    expect(pages.length).toBeGreaterThan(10);
    for (const page of pages) {
      const text = readFileSync(`${folder}/${page}`, 'utf8');
      // An address in an example is one.
      const shown = text.replaceAll(/[a-z]+@example\.com/g, '[redacted e-mail]');
      expect(redact(text)).toBe(shown);
    }
  });
});

describe('for random texts', () => {
  const pieces = [
    ...makers.map(([, make]) => make),
    () => `${from('abcdefgh.', 6)}x@mail.example`,
    () => ' ',
    () => '\n',
    () => from('{}[]():;,."\'`<>=@/\\-_', 3),
    () => from('äλ中🙂é', 2),
    () => 'password=',
    () => 'Bearer ',
    () => from('0123456789 -', 20),
    () => from(letters, 9),
  ];
  const texts = Array.from({ length: 2_000 }, () =>
    Array.from({ length: 1 + next(12) }, () => pieces[next(pieces.length)]?.()).join(' '),
  );

  test('redacting twice changes nothing', () => {
    for (const text of texts) expect(redact(redact(text))).toBe(redact(text));
  });

  test('none of our own keys survives', () => {
    const whole = texts.map((text) => `${text} ${makeToken('assistant')} ${text}`);
    expect(
      whole.filter((text) => /(?<![A-Za-z0-9_])svc_(dsc_)?[A-Za-z0-9_-]{43}/.test(redact(text))),
    ).toEqual([]);
  });

  test.each([
    'a'.repeat(300_000),
    'a@'.repeat(150_000),
    'a.'.repeat(150_000),
    `x@${'a.'.repeat(150_000)}`,
    '4 '.repeat(150_000),
    '4'.repeat(300_000),
    'eyJ'.repeat(100_000),
    '-eyJ'.repeat(400_000),
    'sk-'.repeat(100_000),
    'a://'.repeat(75_000),
    'a://a:'.repeat(50_000),
    'token='.repeat(50_000),
    'bearer '.repeat(40_000),
    'authorization: '.repeat(20_000),
    `-----BEGIN ${'PRIVATE KEY'}-----`.repeat(10_000),
    '-----BEGIN '.repeat(25_000),
    'svc_'.repeat(75_000),
  ])('no text is slow', (text) => {
    // Nothing is timed here: a pattern that is not linear does not come to an end.
    expect(typeof redact(text)).toBe('string');
  });
});
