/**
 * Removes personal data and secrets from text before it's stored or logged: email addresses, keys and
 * tokens in known formats, private keys, passwords in addresses, and card numbers. Keeps what only looks
 * like one, such as a placeholder, a version, or an order number. The time is linear in the length of the
 * text: every repetition is bounded, and every pattern starts where no longer run of the same characters
 * starts.
 */
import { sha256 } from '../hash.ts';
import { hideOwnSecrets } from './own-secrets.ts';

/** A secret doesn't start inside a word. */
const start = '(?<![A-Za-z0-9_])';

interface Kind {
  /** For the replacement: `[redacted key]`. */
  name: string;
  pattern: RegExp;
  /** A text without it has no match, and most texts are without it. */
  sign?: string;
  /** Personal data, not a secret. */
  isPersonal?: true;
  /** The group of the pattern that is the secret. The default is the whole match. */
  group?: number;
  /** Excludes what only looks like one. */
  isReal?: (found: string, match: string) => boolean;
}

const kinds: readonly Kind[] = [
  {
    name: 'private key',
    sign: '-----BEGIN ',
    pattern:
      /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s:,.\-\\]{0,20000}/g,
  },
  {
    name: 'password',
    sign: '://',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s/:@'"<>[\]]{0,100}:([^\s/@'"<>]{1,200})@/g,
    group: 1,
    isReal: (found) => !isPlaceholder(found),
  },
  // Docent's own keys, sessions, and links.
  { name: 'key', pattern: /svc_(?:dsc_)?[A-Za-z0-9_-]{32,100}/g },
  {
    // OpenAI, Anthropic, OpenRouter, and others with the same format.
    name: 'key',
    pattern: new RegExp(`${start}sk-[A-Za-z0-9_-]{20,250}`, 'g'),
    isReal: isRandom,
  },
  {
    name: 'key',
    pattern: new RegExp(
      start +
        '(?:' +
        [
          'gh[pousr]_[A-Za-z0-9]{30,255}',
          'github_pat_[A-Za-z0-9_]{22,255}',
          'glpat-[A-Za-z0-9_-]{20,64}',
          '(?:AKIA|ASIA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])',
          'AIza[A-Za-z0-9_-]{35,60}',
          'ya29\\.[A-Za-z0-9_-]{20,500}',
          'GOCSPX-[A-Za-z0-9_-]{20,64}',
          'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
          'xapp-[A-Za-z0-9-]{10,255}',
          '(?:[sr]k|pk)_(?:live|test)_[A-Za-z0-9]{16,255}',
          'whsec_[A-Za-z0-9+/=]{20,100}',
          'npm_[A-Za-z0-9]{36,60}',
          'pypi-[A-Za-z0-9_-]{40,255}',
          'hf_[A-Za-z0-9]{30,64}',
          'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{30,64}',
          'dop_v1_[a-f0-9]{64}',
          'AGE-SECRET-KEY-1[A-Z0-9]{40,80}',
          'shp(?:at|ca|pa|ss)_[a-f0-9]{32}',
          'dapi[a-f0-9]{32}',
          'lin_api_[A-Za-z0-9]{32,64}',
          'ntn_[A-Za-z0-9]{40,64}',
          'hvs\\.[A-Za-z0-9_-]{24,200}',
          'glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}',
          'sbp_[a-f0-9]{40}',
          'gsk_[A-Za-z0-9]{48,64}',
          'xai-[A-Za-z0-9]{60,100}',
          'ATATT3[A-Za-z0-9_=-]{60,250}',
          '\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])',
        ].join('|') +
        ')',
      'g',
    ),
    isReal: (found) => !isSpelledOut(found),
  },
  {
    name: 'key',
    pattern: /hooks\.slack\.com\/services\/([A-Za-z0-9/]{20,100})/g,
    group: 1,
    isReal: isRandom,
  },
  {
    name: 'token',
    // What only starts like a token matches too, so that it isn't read again from its middle.
    pattern: new RegExp(
      `${start}eyJ[A-Za-z0-9_-]{8,4000}(?:\\.[A-Za-z0-9_-]{8,8000}(?:\\.[A-Za-z0-9_-]{0,4000}){0,3})?`,
      'g',
    ),
    isReal: (found) => found.includes('.'),
  },
  {
    name: 'token',
    pattern: /\bbearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,4000})/gi,
    group: 1,
    isReal: isRandom,
  },
  {
    name: 'token',
    pattern:
      /\bauthorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:[A-Za-z]{1,20}[ \t]{1,4})?([A-Za-z0-9._~+/=-]{12,4000})/gi,
    group: 1,
    isReal: isRandom,
  },
  {
    // `password: …`, `api_key=…`, `"client_secret": "…"`, `x-api-key: …`.
    name: 'secret',
    pattern:
      /(?:passw(?:or)?d|passphrase|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|token)["']?[ \t]{0,4}(?:[:=]|=>)[ \t]{0,4}["'`]?([^\s"'`,;<>()[\]{}&]{12,500})/gi,
    group: 1,
    isReal: isValue,
  },
  {
    // In an answer, the host may be code so that it isn't a link: jane@`example.com`.
    name: 'e-mail',
    isPersonal: true,
    sign: '@',
    pattern:
      /(?<![\p{L}\p{N}._%+-])(?<!:\/\/[^\s/@]{0,100}:)[\p{L}\p{N}._%+-]{1,64}@(`?)(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,24}\1(?![\p{L}\p{N}_-])/gu,
    isReal: isMail,
  },
  {
    name: 'card number',
    isPersonal: true,
    pattern: /(?<![\w.]|\d[ -])\d(?:[ -]?\d){12,18}(?![\w]|[ -]?\d|\.\d)/g,
    isReal: isCard,
  },
];

/** Replaces personal data, secrets in known formats, and the service's own secrets with `[redacted …]`. */
export function redact(text: string): string {
  return replace(text, kinds);
}

/** Replaces only secrets, because an instruction may be about an email address. */
export function redactSecrets(text: string): string {
  return replace(text, secretKinds);
}

const secretKinds = kinds.filter(({ isPersonal }) => !isPersonal);

function replace(text: string, wanted: readonly Kind[]): string {
  let clean = hideOwnSecrets(text);
  for (const { name, sign, pattern, group, isReal } of wanted) {
    if (sign !== undefined && !clean.includes(sign)) continue;
    clean = clean.replace(pattern, (...found: (string | undefined)[]) => {
      const match = found[0] ?? '';
      const secret = (group === undefined ? match : found[group]) ?? '';
      if (secret.startsWith('[redacted') || (isReal && !isReal(secret, match))) return match;
      const at = group === undefined ? 0 : match.lastIndexOf(secret);
      return `${match.slice(0, at)}[redacted ${name}]${match.slice(at + secret.length)}`;
    });
  }
  return clean;
}

export interface FoundSecret {
  kind: string;
  secret: string;
  /** The secret with its surroundings, such as the name before it. */
  match: string;
  at: number;
}

/** Everything that `redactSecrets` replaces, but for the service's own secrets. */
export function secretsIn(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { name, sign, pattern, group, isReal } of secretKinds) {
    if (sign !== undefined && !text.includes(sign)) continue;
    for (const one of text.matchAll(pattern)) {
      const secret = (group === undefined ? one[0] : one[group]) ?? '';
      if (isReal && !isReal(secret, one[0])) continue;
      found.push({ kind: name, secret, match: one[0], at: one.index });
    }
  }
  return found;
}

/** Whether a text looks generated: many different characters, with digits among letters or in both cases. */
export function isRandom(text: string): boolean {
  if (isSpelledOut(text)) return false;
  const digits = text.match(/\d/g)?.length ?? 0;
  const isMixed = /[a-z]/.test(text) && /[A-Z]/.test(text);
  if (!/[A-Za-z]/.test(text) || (digits < 2 && !(isMixed && digits > 0) && !isUnworded(text))) {
    return false;
  }
  return new Set(text).size >= 8;
}

/** `process.env.KEY_1`, `config.auth.token2`, and `https://…` only lead to a secret. */
function isValue(text: string): boolean {
  const isPath = /^(?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*$/.test(text);
  return !isPath && !/^[a-z]+:\/\//i.test(text) && isRandom(text);
}

/** Letters whose case changes more often than in a name: `dXNlcjpwYXNz`. */
function isUnworded(text: string): boolean {
  const changes = text.match(/[a-z][A-Z]|[A-Z][a-z]/g)?.length ?? 0;
  return changes >= 6 && !/[._-]/.test(text);
}

/** Whether a text is a placeholder: `sk-your-key-here`, `ghp_xxxxxxxx…`. */
export function isSpelledOut(text: string): boolean {
  const isNamed = /^(?:[A-Z]+(?:_[A-Z0-9]+)+|[a-z]+(?:[_-][a-z]+)+(?:[_-]\d+)?)$/.test(text);
  return (
    isNamed ||
    /example|your|placeholder|changeme|replace|xxxx|\.\.\.|\*\*\*|0{8}|1234567/i.test(text)
  );
}

function isPlaceholder(password: string): boolean {
  return (
    isSpelledOut(password) ||
    /^(?:pass(?:word|wd)?|pwd|pw|secret|token|key|\*+|x+|\$.*|%.*|\{.*|\[.*)$/i.test(password)
  );
}

/** `git@github.com:…` is a repository, `logo@2x.png` an image, and `react@18.2.0-rc.beta` a version. */
function isMail(address: string): boolean {
  const [local, domain = ''] = address.replaceAll('`', '').split('@');
  return (
    local !== 'git' &&
    !/^v?\d+(?:x\.|\.\d)/.test(domain) &&
    !/\.(?:png|jpe?g|gif|svg|webp|[cm]?[jt]sx?|json|css)$/i.test(domain)
  );
}

/** Checks the issuer's first digits and length, and the check digit (ISO/IEC 7812-1, Luhn). */
function isCard(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  const isIssued =
    /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d|35\d\d)\d{12}|62\d{14,17})$/.test(
      digits,
    );
  if (!isIssued || new Set(digits).size < 2) return false;
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = digit * 2;
    sum += index % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** The `fp` of callers that don't say who asks. */
export const anonymous = 'anonymous';

/**
 * The stored form of a reader's `fp`: a hash, because integrators send account names and email addresses.
 * A reader has the same one everywhere on a site, and a different one on each other site.
 */
export function pseudonym(fp: string, domain: string): string {
  if (fp === anonymous) return fp;
  return sha256(`${domain}\n${fp}`, 'base64url');
}

/** Files and folders whose names suggest that they hold secrets. */
const secret =
  /^(?:\.env(?:\..*)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|\.htpasswd|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:ssh|gnupg|aws|kube|docker))$/;
const example = /^\.env\.(?:example|sample|template|dist)$/;

/** Upper and lower case are the same, as on most file systems. */
export function isSecretFile(path: string): boolean {
  return path
    .normalize('NFKC')
    .toLowerCase()
    .split('/')
    .some((name) => secret.test(name) && !example.test(name));
}
