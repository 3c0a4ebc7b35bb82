import { afterEach, expect, test } from 'vitest';
import { checkConfig } from '../config/load.ts';
import {
  createSecretHider,
  hideOwnSecrets,
  ownSecretsIn,
  recognizeSecrets,
} from './own-secrets.ts';
import { redact, redactSecrets } from './redact.ts';

let forget: (() => void)[] = [];
const know = (...secrets: string[]) => forget.push(recognizeSecrets(secrets));
afterEach(() => {
  for (const each of forget) each();
  forget = [];
});

const token = 'ghp_exampleexampleexample';
const password = 'a"b&c<d/e f_g?1';

test('a token that looks like an example is hidden, and forgotten at the end', () => {
  expect(redact(`use ${token}.`)).toBe(`use ${token}.`);
  know(token);
  expect(redact(`use ${token}.`)).toBe('use [redacted secret].');
  expect(redactSecrets(`${token}${token}`)).toBe('[redacted secret][redacted secret]');
  expect(ownSecretsIn(`a ${token}`)).toEqual([{ secret: token, at: 2 }]);
  const again = recognizeSecrets([token]);
  again();
  again();
  expect(hideOwnSecrets(token)).toBe('[redacted secret]');
  forget.pop()?.();
  expect(hideOwnSecrets(token)).toBe(token);
});

test.each([
  ['as it is', (text: string) => text],
  ['as JSON', (text: string) => JSON.stringify(text)],
  ['in an address', encodeURIComponent],
  ['in a query', (text: string) => new URLSearchParams({ q: text }).toString()],
  [
    'in HTML',
    (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ],
  ['in Markdown', (text: string) => text.replaceAll('_', '\\_').replaceAll('<', '\\<')],
  ...['', 'x', 'xy', 'x-access-token:'].flatMap((before) =>
    (['base64', 'base64url'] as const).map(
      (encoding) =>
        [
          `as ${encoding} after "${before}"`,
          (text: string) => Buffer.from(`${before}${text}, and more`).toString(encoding),
        ] as const,
    ),
  ),
] as const)('%s', (how, encode) => {
  know(token, password);
  for (const secret of [token, password]) {
    const text = `It is ${encode(secret)} here`;
    const hidden = hideOwnSecrets(text);
    expect(hidden).toContain('[redacted secret]');
    expect(hidden).toMatch(/^It is .* here$/);
    // Past the words before the secret.
    const from = how.includes('x-access') ? 22 : 4;
    expect(hidden).not.toContain(encode(secret).slice(from, from + 10));
  }
});

test('a private key is hidden line by line, also where its lines are written as \\n', () => {
  const lines = [
    'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
    'BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj',
    'QDvNf4qY6v',
  ];
  const of = (ending: string) =>
    ['-----BEGIN KEY-----', ...lines, '-----END KEY-----'].join(ending);
  for (const ending of ['\n', '\\n']) {
    know(of(ending));
    expect(hideOwnSecrets(`only ${lines[1]}`)).toBe('only [redacted secret]');
    expect(hideOwnSecrets(of('\n'))).toContain('-----BEGIN KEY-----\n[redacted secret]');
    forget.pop()?.();
  }
});

test.each([
  'admin',
  'true',
  'changeme',
  'masterKey',
  'docent1',
  'xxxxxxxxxxxxxxxxxxxxxxxx',
  '',
  '12345678',
])('what documentation says anyway stays: %s', (value) => {
  know(value);
  expect(hideOwnSecrets(`Set it to ${value}.`)).toBe(`Set it to ${value}.`);
});

test.each(['hunter22', 'pa55-word', 'correct horse battery', token])(
  'but a real one goes: %s',
  (value) => {
    know(value);
    expect(hideOwnSecrets(`It's ${value}.`)).toBe("It's [redacted secret].");
  },
);

test('cut anywhere, a text is hidden but for three characters, and hardly anything waits', () => {
  know(token, password, 'ghp_examp1e', 'abcabcabd1');
  const text = `ab abcabcabd1 ghp_example ${token} gh ghp_examp1e${password} abcabcabcabd1 g`;
  const whole = hideOwnSecrets(text);
  for (let size = 1; size < 12; size++) {
    const hider = createSecretHider();
    let out = '';
    for (let at = 0; at < text.length; at += size) out += hider.push(text.slice(at, at + size));
    out += hider.end();
    for (const secret of [token, password, 'ghp_examp1e', 'abcabcabd1'])
      expect(out).not.toContain(secret);
    expect(out.match(/\[redacted secret\]/g)).toHaveLength(5);
    expect(out.length).toBeLessThanOrEqual(whole.length + 5 * 3);
  }
  const hider = createSecretHider();
  expect(hider.push('ordinary words')).toBe('ordinary words');
  expect(hider.push(' and gh')).toBe(' and gh');
  expect(hider.push('ost')).toBe('ost');
  expect(hider.push('ghp_exa')).toBe('');
  expect(hider.end()).toBe('ghp_exa');
});

test('where one secret is the beginning of another, all of the longer one goes', () => {
  know('abcdefg-123456789', 'abcdefg-123456789-and-more');
  expect(hideOwnSecrets('abcdefg-123456789-and-more.')).toBe('[redacted secret].');
  const hider = createSecretHider();
  const out = ['abcdefg-123456789', '-and-', 'more.'].map((piece) => hider.push(piece)).join('');
  expect(out + hider.end()).toBe('[redacted secret].');
});

test('it knows every variable that a configuration names, and passwords in addresses', () => {
  const variables = {
    MODEL: 'the-key-of-the-model',
    EMBEDDER: 'the-key-of-the-embedder',
    MEILI: 'the-key-of-meilisearch',
    GIT: 'the-token-of-a-source',
    HUB: 'the-token-of-a-project',
    HOOK: 'the-secret-of-a-webhook',
    OLD: 'the-old-secret-of-a-webhook',
    ALERTS: 'the-secret-of-the-alerts',
    OPENID: 'the-secret-of-the-client',
    METRICS: 'the-token-of-the-metrics',
    DATABASE_URL: 'postgres://docent:the-password%20of-it@localhost/docent',
    OTEL_EXPORTER_OTLP_HEADERS:
      'api-key=the-key-of-traces,authorization=Bearer%20the-other-key-of-traces',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:the-password-of-traces@localhost:4318',
    OTHER: 'the-value-of-another-program',
  };
  const url = 'https://hooks.example.com/a';
  const { secrets } = checkConfig(
    {
      server: { metricsTokenEnv: 'METRICS' },
      models: { main: { provider: 'openai', model: 'x', apiKeyEnv: 'MODEL' } },
      budgets: { alerts: { webhook: url, secretEnv: 'ALERTS' } },
      search: {
        engine: 'meilisearch',
        url: 'http://localhost:7700',
        apiKeyEnv: 'MEILI',
        embedder: { baseUrl: 'http://localhost', model: 'x', dimensions: 8, apiKeyEnv: 'EMBEDDER' },
      },
      dashboard: {
        openId: { issuer: 'https://id.example.com', clientId: 'x', clientSecretEnv: 'OPENID' },
      },
      sites: [
        {
          domain: 'docs',
          name: 'Docs',
          organization: 'acme',
          allowedOrigins: [],
          docs: {
            baseUrl: 'https://docs.example.com',
            sources: [{ type: 'git', url: 'https://github.com/a/b.git', tokenEnv: 'GIT' }],
          },
        },
      ],
      projects: [
        {
          id: 'a',
          organization: 'acme',
          repository: 'https://github.com/a/b',
          github: { tokenEnv: 'HUB' },
          webhooks: [{ url, secretEnv: 'HOOK', previousSecretEnv: 'OLD' }],
        },
      ],
    },
    { folder: '/', variables },
  );
  know(...secrets);
  const { OTHER, DATABASE_URL, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_ENDPOINT, ...rest } =
    variables;
  for (const secret of [
    ...Object.values(rest),
    'the-password of-it',
    'the-password%20of-it',
    'the-key-of-traces',
    'the-other-key-of-traces',
    'the-password-of-traces',
  ]) {
    expect(hideOwnSecrets(`(${secret})`)).toBe('([redacted secret])');
  }
  expect(hideOwnSecrets(`${OTHER} ${OTEL_EXPORTER_OTLP_ENDPOINT}`)).toContain(OTHER);
  expect(hideOwnSecrets(DATABASE_URL)).not.toContain('password');
  expect(hideOwnSecrets(OTEL_EXPORTER_OTLP_HEADERS)).toMatch(/^api-key=\[red/);
});

test('each position of a text is compared at most with the spellings that begin like it', () => {
  // Nothing is timed: work that grows with the square of the text doesn't come to an end.
  know(`${'ab'.repeat(40)}1`, token);
  for (const text of ['ab'.repeat(500_000), 'ghp_'.repeat(500_000), 'a'.repeat(2_000_000)]) {
    expect(hideOwnSecrets(text)).toBe(text);
  }
});
