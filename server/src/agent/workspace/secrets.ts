/**
 * Finds the service's own secrets, and text that looks like a secret, in a change. Anybody who reads the pull request could use it, so a change
 * with a secret is never pushed.
 */
import { ownSecretsIn } from '../../platform/redaction/own-secrets.ts';
import { isRandom, isSpelledOut, secretsIn } from '../../platform/redaction/redact.ts';
import { textOf } from './text-file.ts';
import type { FileChange } from './tree.ts';

export interface SecretFinding {
  path: string;
  line: number;
  /** Such as `key`, `private key`, `password`. */
  kind: string;
}

interface Found {
  kind: string;
  secret: string;
  at: number;
}

/** A name that says what stands after it, beyond those that are taken out of stored text. */
const namedValue =
  /(?<![A-Za-z0-9])[A-Za-z0-9_.-]{0,60}?(?:(?:private|encryption|signing|master|service|storage|account|shared|session|webhook|deploy|license|app|client|consumer|db|database|jwt|auth|hmac|cookie)[_-]?(?:key|secret|password|pass|pwd)|credentials?|_KEY|_SECRET|_TOKEN|_PASS|_PWD)["'`]?[ \t]{0,4}(?:[:=]|=>|:=)[ \t]{0,4}["'`]?([^\s"'`,;<>()[\]{}&]{16,500})/gi;
const others: readonly [kind: string, pattern: RegExp][] = [
  ['key', /\bAccountKey=([A-Za-z0-9+/]{40,120}={0,2})/g],
  ['key', /\bdiscord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/([A-Za-z0-9_-]{50,100})/g],
  ['key', /\bwebhook\.office\.com\/webhookb2\/([A-Za-z0-9@/-]{60,200})/g],
];
const dataAddress =
  /data:[a-z]{1,20}\/[a-z0-9.+-]{1,40}(?:;[a-z0-9=-]{1,40}){0,4};base64,[A-Za-z0-9+/=\s]*/gi;
const digestName = /(?:integrity|checksum|digest|sha-?\d+|md5|commit|revision|etag|hash)/i;

/** Looks only at new text: what a changed file already contained is no longer a secret. */
export function findSecrets(changes: readonly FileChange[]): SecretFinding[] {
  const suspects = changes.map(({ path, after }) => {
    const text = withoutNul(after);
    return { path, text, found: secretsOf(text) };
  });
  if (suspects.every(({ found }) => found.length === 0)) return [];
  const before = changes.map((change) => withoutNul(change.before));
  return suspects.flatMap(({ path, text, found }) =>
    found
      .filter(({ secret }) => !before.some((old) => old.includes(secret)))
      .map(({ kind, at }) => ({ path, line: lineOf(text, at), kind }))
      .toSorted((a, b) => a.line - b.line)
      .filter((one, index, all) => one.line !== all[index - 1]?.line),
  );
}

/** Binary files can contain a secret too, with a NUL after each letter. */
const withoutNul = (bytes: Buffer | undefined) => textOf(bytes).replaceAll('\0', '');

/** For other texts: the model's title and summary. */
export function holdsSecret(text: string): boolean {
  return secretsOf(text).length > 0;
}

function secretsOf(text: string): Found[] {
  // A picture in the text has all letters; spaces keep the lines where they are.
  const seen = text.replace(dataAddress, (found) => found.replace(/\S/g, ' '));
  const named = [...seen.matchAll(namedValue)].flatMap((one) => {
    const secret = one[1] ?? '';
    return isNamedSecret(one[0], secret) ? [{ kind: 'secret', secret, at: one.index }] : [];
  });
  const known = others.flatMap(([kind, pattern]) =>
    [...seen.matchAll(pattern)].flatMap((one) => {
      const secret = one[1] ?? '';
      return isRandom(secret) ? [{ kind, secret, at: one.index }] : [];
    }),
  );
  const usual = secretsIn(seen).filter(({ kind, secret, match }) => isSecret(kind, secret, match));
  // Also in pictures, and whatever they look like.
  const own = ownSecretsIn(text).map((one) => ({ ...one, kind: 'secret of this service' }));
  return [...own, ...usual.map(withoutTail), ...known, ...named];
}

/** Stored text loses everything after the head of a key; here what follows its end does not belong to it. */
function withoutTail({ kind, secret, at }: Found): Found {
  const end = kind === 'private key' ? secret.indexOf('-----END') : -1;
  return { kind, at, secret: end < 0 ? secret : secret.slice(0, end) };
}

/** Whether a match is a real secret: documentation is full of example keys. */
function isSecret(kind: string, secret: string, match: string): boolean {
  // The assistant's key is public by the service's own rules: it stands in every page.
  if (secret.startsWith('svc_dsc_')) return false;
  if (/^pk_(?:live|test)_/.test(secret)) return false;
  if (kind === 'private key') return hasBody(secret);
  if (secret.startsWith('eyJ')) return !isSampleToken(secret);
  if (/^authorization/i.test(match) && /basic/i.test(match)) return !isSampleLogin(secret);
  if (kind === 'secret') return isNamedSecret(match, secret);
  return !isSpelledOut(secret);
}

function isNamedSecret(match: string, secret: string): boolean {
  const name = match.slice(0, match.length - secret.length);
  if (digestName.test(name)) return false;
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(secret)) return false;
  if (/^(?:sha(?:1|256|384|512)|md5)[-:]/i.test(secret)) return false;
  if (/^v?\d+\.\d+\.\d+/.test(secret)) return false;
  // `process.env.X`, `config.get`, `vault:path/to`, `$(cat file)`, `/run/secrets/x`, `arn:…`: where it comes from.
  if (/^(?:[\w$]+\.)+[\w$]+$|^[$%@/.~\\]|^[a-z][a-z0-9+-]*:/i.test(secret)) return false;
  return isRandom(secret) && entropyOf(secret) >= 3;
}

/** A real key has a body; an example has dots or a name. */
function hasBody(key: string): boolean {
  const body = key
    .replace(/-----[^-]*-----/g, '')
    .replace(/\\[nr]/g, '')
    .replace(/\s/g, '');
  return /[A-Za-z0-9+/]{60}/.test(body) && new Set(body).size > 20;
}

/** The example token of jwt.io, and tokens that call themselves examples. */
function isSampleToken(token: string): boolean {
  const decoded = token
    .split('.')
    .slice(0, 2)
    .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
    .join(' ');
  return /1234567890|John Doe|example|1516239022/i.test(decoded) || isSpelledOut(token);
}

function isSampleLogin(encoded: string): boolean {
  const login = Buffer.from(encoded, 'base64').toString('latin1');
  return /^(?:user(?:name)?|admin|client_?id|aladdin|api|test|foo)[^:]{0,10}:|example|pass/i.test(
    login,
  );
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let next = text.indexOf('\n'); next >= 0 && next < at; next = text.indexOf('\n', next + 1)) {
    line += 1;
  }
  return line;
}
