/**
 * The service's own secrets: the values of the variables that its configuration names. A pattern doesn't know
 * a token that looks like an example, so these are compared exactly, also as JSON, CSV, HTML, addresses,
 * Markdown, and base64 write them. A process has one configuration, so it has one set; a worker thread has none.
 */

const mark = '[redacted secret]';

/** How often each secret is known: several services of one process may have the same. */
const counts = new Map<string, number>();
/** All spellings, by their first two characters. */
let spellings = new Map<number, string[]>();
/** Whether a spelling starts with two characters, by their low bits. It rules out nearly every position of a text. */
let pairs = new Uint8Array(128 * 128);

/** Recognizes these values from now on, until the function that comes back is called. */
export function recognizeSecrets(values: readonly string[]): () => void {
  const secrets = new Set(values.flatMap(linesOf).filter(isDistinct));
  for (const secret of secrets) counts.set(secret, (counts.get(secret) ?? 0) + 1);
  index();
  return () => {
    for (const secret of secrets) {
      const left = (counts.get(secret) ?? 0) - 1;
      if (left > 0) counts.set(secret, left);
      else counts.delete(secret);
    }
    secrets.clear();
    index();
  };
}

/** A private key has lines, in a variable of one line as `\n`. Its first and last line are no secrets. */
function linesOf(value: string): string[] {
  return value
    .split(/\r?\n|\\n/)
    .map((line) => line.trim())
    .filter((line) => !line.startsWith('-----'));
}

/**
 * We chose that a short value counts only with a letter and a digit, and one below 8 characters never:
 * documentation is full of `admin`, `true`, and `changeme`, and hiding these would make it unreadable.
 */
function isDistinct(value: string): boolean {
  if (value.length < 8 || new Set(value).size < 5) return false;
  return value.length >= 16 || (/\d/.test(value) && /\p{L}/u.test(value));
}

function index(): void {
  spellings = new Map();
  pairs = new Uint8Array(128 * 128);
  for (const spelling of new Set([...counts.keys()].flatMap(spellingsOf))) {
    const head = headOf(spelling, 0);
    spellings.set(head, [...(spellings.get(head) ?? []), spelling]);
    pairs[pairOf(spelling.charCodeAt(0), spelling.charCodeAt(1))] = 1;
  }
  // The first that fits is the longest.
  for (const all of spellings.values()) all.sort((a, b) => b.length - a.length);
}

const pairOf = (first: number, second: number) => ((first & 127) << 7) | (second & 127);

const headOf = (text: string, at: number) => (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);

function spellingsOf(secret: string): string[] {
  return [
    secret,
    inJson(secret),
    // The input of a tool in an event of a job.
    inJson(inJson(secret)),
    secret.replaceAll('"', '""'),
    encodeURIComponent(secret),
    new URLSearchParams([['', secret]]).toString().slice(1),
    secret.replace(/[&<>"']/g, (sign) => htmlOf[sign] ?? sign),
    secret.replace(/[\\`*_~[\]<>|]/g, '\\$&'),
    ...[0, 1, 2].flatMap((before) => base64Of(secret, before)),
  ];
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

const htmlOf: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What base64 makes of a secret that stands after so many bytes, without the signs that its neighbors share. */
function base64Of(secret: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
  const from = before === 0 ? 0 : before + 1;
  const to = Math.floor((bytes.length * 8) / 6);
  return [bytes.toString('base64').slice(from, to), bytes.toString('base64url').slice(from, to)];
}

interface Occurrence {
  at: number;
  /** 0: it only begins at the end of the text. */
  length: number;
}

/** The first spelling from a position on. Each position compares only spellings with the same two characters. */
function find(text: string, from: number, mayBegin: boolean): Occurrence | undefined {
  const last = text.length - 1;
  let next = text.charCodeAt(from);
  for (let at = from; at < last; at++) {
    const code = next;
    next = text.charCodeAt(at + 1);
    if (pairs[pairOf(code, next)] === 0) continue;
    for (const spelling of spellings.get(headOf(text, at)) ?? []) {
      if (text.startsWith(spelling, at)) return { at, length: spelling.length };
      const isCut = mayBegin && text.length - at < spelling.length;
      if (isCut && spelling.startsWith(text.slice(at))) return { at, length: 0 };
    }
  }
  return undefined;
}

/** The text without the service's own secrets. */
export function hideOwnSecrets(text: string): string {
  if (counts.size === 0) return text;
  let clean = '';
  let done = 0;
  for (const { secret, at } of ownSecretsIn(text)) {
    clean += text.slice(done, at) + mark;
    done = at + secret.length;
  }
  return done === 0 ? text : clean + text.slice(done);
}

/** Where the service's own secrets are in a text. */
export function ownSecretsIn(text: string): { secret: string; at: number }[] {
  const all: { secret: string; at: number }[] = [];
  for (let found = find(text, 0, false); found;) {
    const { at, length } = found;
    all.push({ secret: text.slice(at, at + length), at });
    found = find(text, at + length, false);
  }
  return all;
}

/**
 * With fewer characters, nothing waits: nearly every word ends like some secret begins, and readers would wait
 * for the last letter of each. So up to three characters of a secret can be seen before the mark.
 */
const minBeginning = 4;

/** The same for a text that arrives in pieces. Only what may well be the beginning of a secret waits. */
export function createSecretHider() {
  /** The end of what was let through, in which a secret may have begun. */
  let shown = '';
  let waiting = '';
  return {
    push(piece: string): string {
      if (counts.size === 0 && waiting === '') return piece;
      const text = shown + waiting + piece;
      let done = shown.length;
      let clean = '';
      let from = 0;
      [shown, waiting] = ['', ''];
      for (let found = find(text, from, true); found; found = find(text, from, true)) {
        if (found.length === 0) {
          if (text.length - found.at < minBeginning) break;
          const held = Math.max(done, found.at);
          clean += text.slice(done, held);
          waiting = text.slice(held);
          shown = text.slice(Math.max(from, found.at), held);
          return clean;
        }
        clean += text.slice(done, Math.max(done, found.at)) + mark;
        from = found.at + found.length;
        done = from;
      }
      shown = text.slice(Math.max(from, text.length - minBeginning + 1));
      return clean + text.slice(done);
    },
    end(): string {
      const rest = waiting;
      [shown, waiting] = ['', ''];
      return hideOwnSecrets(rest);
    },
  };
}
