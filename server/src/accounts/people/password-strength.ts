/**
 * Whether a password is easy to guess. Guessers try words that many people use, walks on the
 * keyboard, sequences, repetitions, single long words with a year, and what they know of the account. So each such
 * part counts as one character, and the rest counts by how much there is to guess. That refuses
 * "Password1234", "1qaz2wsx3edc", and "unbelievable" without a list of millions of passwords.
 */
import { passwordMinCharacters } from '@docent/shared/people';
import { DocentError } from '../../platform/errors.ts';

/** One long word has fewer points, and four words with spaces or twelve mixed characters have more. */
const minPoints = 14;

/**
 * Those that people write with a capital, a year, and signs that look like letters, to make them longer, and
 * pieces of walks on the keyboard.
 */
const commonWords =
  `access account admin administrator april august autumn baby baseball batman change changeme company
computer database december default demo docent docs documentation dragon february football friday guest
hello iloveyou internet jackson january jordan july june letmein login love march master michael monday
monkey november october pass passw password passwort please princess project root saturday secret
security september server service shadow spring summer sunday sunshine superman system temp test thursday
trust tuesday user wednesday welcome winter
qwe rty uiop asd fgh jkl zxc vbn 1qa qaz 2ws wsx 3ed edc 4rf rfv zaq xsw cde`.split(/\s+/);

const lookalikes: Readonly<Record<string, string>> = {
  '@': 'a',
  '4': 'a',
  '3': 'e',
  '1': 'i',
  '!': 'i',
  '0': 'o',
  '5': 's',
  $: 's',
  '7': 't',
};

export function requireGoodPassword(
  password: string,
  { email, name = '' }: { email: string; name?: string },
): void {
  const known = `${email} ${name}`.toLowerCase().split(/[^\p{L}\d]+/u);
  const ownWords = known.filter((word) => word.length >= 3);
  if (password.length >= passwordMinCharacters && pointsOf(password, ownWords) >= minPoints) return;
  throw new DocentError(
    'bad_request',
    `This password is easy to guess. Use at least ${passwordMinCharacters} characters, such as four words that don't belong together.`,
    { details: [{ path: 'password', message: 'is easy to guess' }] },
  );
}

function pointsOf(password: string, ownWords: readonly string[]): number {
  const given = withoutRepetition(password);
  const text = given.toLowerCase();
  const words = [...commonWords, ...ownWords];
  const plain = text.replaceAll(/[@4310!5$7]/g, (sign) => lookalikes[sign] ?? sign);
  let points = 0;
  let before: string | undefined;
  for (let at = 0; at < text.length;) {
    const known = Math.max(wordAt(text, at, words), wordAt(plain, at, words), runAt(text, at));
    const kind = known > 0 ? 'known' : kindOf(given.charAt(at));
    points += pointsOfKind[kind] + (before === undefined || kind === before ? 0 : 0.5);
    before = kind;
    at += known || 1;
  }
  return points;
}

const pointsOfKind = { known: 1, small: 1, capital: 1, digit: 0.5, other: 2 };

function kindOf(character: string): Exclude<keyof typeof pointsOfKind, 'known'> {
  if (/[a-z]/.test(character)) return 'small';
  if (/[A-Z]/.test(character)) return 'capital';
  return /\d/.test(character) ? 'digit' : 'other';
}

/** `abcabcabc` is `abc`. */
function withoutRepetition(text: string): string {
  for (let length = 1; length <= text.length / 2; length++) {
    const unit = text.slice(0, length);
    if (unit.repeat(Math.ceil(text.length / length)).startsWith(text)) return unit;
  }
  return text;
}

function wordAt(text: string, at: number, words: readonly string[]): number {
  let longest = 0;
  for (const word of words) {
    if (word.length > longest && text.startsWith(word, at)) longest = word.length;
  }
  return longest;
}

/** The length of a run such as `abc`, `321`, or `aaa`; less than three are no run. */
function runAt(text: string, at: number): number {
  const step = text.charCodeAt(at + 1) - text.charCodeAt(at);
  if (!(Math.abs(step) <= 1)) return 0;
  let end = at + 2;
  while (text.charCodeAt(end) - text.charCodeAt(end - 1) === step) end++;
  return end - at >= 3 ? end - at : 0;
}
