import { describe, expect, test } from 'vitest';
import { makeToken } from '../../platform/auth/tokens.ts';
import { findSecrets } from './secrets.ts';

/** Made here: what is committed holds nothing that looks like a key. The same on every run. */
let state = 11;
function from(alphabet: string, length: number): string {
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
  }).join('');
}
const mixed = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz23456789';
const any = (length: number) => `k7Qx${from(mixed, length - 4)}`;
const hex = (length: number) => from('0123456789abcdef', length);
const upper = (length: number) => from('ABCDEFGHJKLMNPQRSTUVWXYZ2345679', length);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const pem = (kind: string) => {
  const body = Array.from({ length: 4 }, () => any(64)).join('\n');
  return [
    `-----BEGIN ${kind}`,
    `PRIVATE KEY-----\n${body}\n-----END ${kind}`,
    'PRIVATE KEY-----',
  ].join('');
};

function find(text: string, before = '') {
  return findSecrets([
    { path: 'a.md', kind: 'modified', before: Buffer.from(before), after: Buffer.from(text) },
  ]);
}

const real: [what: string, text: string][] = [
  ['a GitHub token', `Use ghp_${any(36)} here.`],
  ['a GitHub App token', `token: ghs_${any(36)}`],
  ['a GitHub OAuth token', `\`gho_${any(36)}\``],
  ['a fine-grained GitHub token', `github_pat_${any(22)}_${any(59)}`],
  ['an AWS key id', `aws_access_key_id = AKIA${upper(16)}`],
  ['a temporary AWS key id', `ASIA${upper(16)}`],
  ['an AWS secret key', `aws_secret_access_key = ${any(40)}`],
  ['an OpenAI key', `OPENAI_API_KEY=sk-proj-${any(48)}`],
  ['an Anthropic key', `sk-ant-api03-${any(80)}`],
  ['a Slack token', `xoxb-${from('123456789', 12)}-${any(24)}`],
  ['a Slack webhook', `https://hooks.slack.com/services/T${upper(8)}/B${upper(8)}/${any(24)}`],
  ['our admin key', `Authorization: Bearer ${makeToken('admin')}`],
  ['an RSA key', pem('RSA ')],
  ['a key of OpenSSH', pem('OPENSSH ')],
  ['a key in JSON', JSON.stringify({ private_key: pem('') })],
  ['a JSON web token', `eyJ${any(20)}.${encode({ sub: 'u_8231', iat: 1_790_000_000 })}.${any(43)}`],
  ['a PostgreSQL address', `DATABASE_URL=postgres://app:${any(16)}@db.internal:5432/app`],
  ['a MongoDB address', `mongodb+srv://root:${any(12)}@cluster0.mongodb.net`],
  ['a Redis address', `redis://:${any(20)}@cache:6379`],
  ['an AMQP address', `amqps://svc:${any(18)}@mq.internal/`],
  ['a named password', `password: "${any(20)}"`],
  ['a client secret', `client_secret=${any(40)}`],
  ['a signing key', `SIGNING_KEY: ${any(44)}`],
  ['a webhook secret', `webhook_secret = "${hex(64)}"`],
  ['a storage account', `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${any(86)}==;`],
  ['a Stripe key', `sk_live_${any(24)}`],
  ['an npm token', `//registry.npmjs.org/:_authToken=npm_${any(36)}`],
  ['a GitLab token', `glpat-${any(20)}`],
  ['a Google key', `AIza${any(35)}`],
  ['a SendGrid key', `SG.${any(22)}.${any(43)}`],
  ['a Discord webhook', `https://discord.com/api/webhooks/123456789012345678/${any(68)}`],
  ['a Telegram bot', `bot ${from('123456789', 10)}:AA${any(33)}`],
  ['an X-Api-Key header', `curl -H "X-Api-Key: ${any(32)}"`],
  ['a JWT secret', `JWT_SECRET='${any(48)}'`],
];

const unreal: [what: string, text: string][] = [
  ['three dots', 'export OPENAI_API_KEY=sk-...'],
  ['a word to replace', 'api_key: YOUR_API_KEY'],
  ['a word in small letters', 'api_key = your-api-key-goes-here'],
  ['angle brackets', 'password=<your-password-here>'],
  ['a row of x', 'token: ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'],
  ['stars', 'secret: ********************'],
  ['the key of all examples', ['AKIA', 'IOSFODNN7EXAMPLE'].join('')],
  ['its secret', 'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
  ['a commit', `Fixed in ${hex(40)}.`],
  ['a commit with a name', `commit: ${hex(40)}`],
  ['a short commit', `at ${hex(7)}`],
  ['a digest', `sha256:${hex(64)}`],
  ['an integrity hash', `<script integrity="sha384-${any(64)}" src="x.js"></script>`],
  ['a checksum', `checksum_key: ${hex(64)}`],
  ['a UUID', `session_key: 8f14e45f-ceea-467f-a9b1-0c2d3e4f5a6b`],
  ['a UUID as a project', 'project 550e8400-e29b-41d4-a716-446655440000'],
  ['a picture', `![x](data:image/png;base64,${any(400)}AKIA${upper(16)})`],
  ['a variable', 'password: process.env.DB_PASSWORD'],
  ['a variable of the shell', 'API_TOKEN=$DOCENT_ADMIN_TOKEN_2026'],
  ['a variable of an action', 'token: ${{ secrets.DEPLOY_TOKEN_2 }}'],
  ['a file', 'private_key: /run/secrets/app_key_2026.pem'],
  ['an address with placeholders', 'postgres://user:password@localhost:5432/db'],
  ['an address with brackets', 'https://<user>:<token>@github.com/acme/docs'],
  ['our public key', `data-key="${makeToken('assistant')}"`],
  ['a publishable key', `pk_test_${any(24)}`],
  ['a public key', `-----BEGIN PUBLIC KEY-----\n${any(64)}\n-----END PUBLIC KEY-----`],
  ['a certificate', `-----BEGIN CERTIFICATE-----\n${any(64)}\n-----END CERTIFICATE-----`],
  [
    'a private key that is left out',
    ['-----BEGIN ', 'PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----'].join(''),
  ],
  [
    'the token of jwt.io',
    [
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9',
      encode({ sub: '1234567890', name: 'John Doe', iat: 1_516_239_022 }),
      'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c',
    ].join('.'),
  ],
  ['a login of an example', 'Authorization: Basic dXNlcm5hbWU6cGFzc3dvcmQ='],
  ['a sentence', 'The password must have at least 12 characters, with digits.'],
  ['a long word', 'secret: internationalization'],
  ['a version', 'react_key: 18.2.0-canary-20240101-abcdef'],
  ['a name of a setting', 'tokenEnv: "DOCS_GITHUB_TOKEN"'],
  ['an address of mail', 'api_key owner: jane.doe@example.com'],
];

describe('what would open a door', () => {
  test.each(real)('%s is found', (_what, text) => {
    const found = find(`# Title\n\n${text}\n`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ path: 'a.md', line: 3 });
  });

  test('what was there before is not blamed on the change, also where it moved', () => {
    for (const [, text] of real) {
      expect(find(`${text}\n\nmore`, text)).toEqual([]);
      expect(
        findSecrets([
          { path: 'a.md', kind: 'deleted', before: Buffer.from(text), after: undefined },
          {
            path: 'b.md',
            kind: 'added',
            from: 'a.md',
            before: undefined,
            after: Buffer.from(text),
          },
        ]),
      ).toEqual([]);
    }
  });

  test('is found in every file of the change, with its line, and is never repeated', () => {
    const secret = `ghp_${any(36)}`;
    const found = findSecrets(
      ['a.md', 'b.json'].map((path) => ({
        path,
        kind: 'added' as const,
        before: undefined,
        after: Buffer.from(`one\r\ntwo\r\n"${secret}" ${secret}\r\n`),
      })),
    );
    expect(found).toEqual([
      { path: 'a.md', line: 3, kind: 'key' },
      { path: 'b.json', line: 3, kind: 'key' },
    ]);
    expect(JSON.stringify(found)).not.toContain(secret.slice(4, 20));
  });

  test('in a file that is no text', () => {
    const after = Buffer.concat([Buffer.from([0xff, 0, 1]), Buffer.from(`\nghp_${any(36)}\n`)]);
    expect(findSecrets([{ path: 'a.bin', kind: 'added', before: undefined, after }])).toHaveLength(
      1,
    );
  });
});

describe('what only looks like it', () => {
  test.each(unreal)('%s stays', (_what, text) => {
    expect(find(`# Title\n\n${text}\n`)).toEqual([]);
  });
});
