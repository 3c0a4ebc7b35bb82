/**
 * Whether a password is easy to guess. Guessers try words that many people use, keys that are neighbors,
 * sequences, repetitions, single long words with a year, and what they know of the account. So each such
 * part counts as one character, and the rest counts by how much there is to guess. That refuses
 * "Password1234", "1qaz2wsx3edc", and "unbelievable" without a list of millions of passwords.
 */
import { passwordMinCharacters } from '@docent/shared/people';
import { DocentError } from '../errors.ts';

/** One long word has fewer points, and four words with spaces or twelve mixed characters have more. */
const minPoints = 14;

const commonWords =
  `abc access account admin administrator alexander alexandra america amanda andrea andrew angel angels
anthony apple april arsenal ashley asshole august austin autumn baby babygirl bailey banana barcelona
baseball basketball batman battery beautiful bella benjamin berlin biteme blink bitch black blue boomer
brandon broncos buster butter butterfly camaro captain carlos casino champion change changeme charles
charlie cheese chelsea chester chicago chicken chocolate chris christ christian christine christopher
christmas coffee college company computer contact cookie cool corvette counter courtney cowboy cowboys
creative crystal customer dallas daniel danielle database david december default demo demon destiny devil
diamond digital docent docs doctor documentation dolphin domain donald dragon eagle eagles edward elephant
elizabeth eminem enter everton everyone extreme facebook falcon family fantasy february ferrari final
fire fisher florida flower flowers football forever forget freedom freddy friday friend friends fuck fucker
fuckoff fucking fuckyou gateway george gfhjkm ghbdtn ghjcnj giants ginger girl girls golden golf google gordon green
guest guitar hacker hahaha hammer hannah happy hardcore harley harry heather heaven hello hellokitty
hockey holiday horny hotmail house hunter iceman ilove iloveyou incorrect install internet ireland
jackson jackie january jasmine jasper jennifer jessica jesus jordan joseph joshua july june junior justin
kevin killer king kitty knight kristina laptop lastname lauren leave legend letmein liberty linkedin
little liverpool login london lord love loveme lovely lover loves lucky maggie magic manager manchester marina
mario marine market martin marvin master matrix matthew maverick maximus melissa member mercedes michael
michelle microsoft midnight mike minecraft minnie mobile monday money monica monkey monster moon morgan
mother motorola mountain music mustang myself network never newyork nicholas nicole nintendo nirvana
nothing november number october office ohshit oliver online open orange other packers pakistan panther
paris pass passw password passwort patrick peanut pepper phantom phoenix player please pokemon police porno
porsche power prince princess private product project purple qwert qwerty rabbit rachel raiders rainbow
ranger rangers rebecca red redsox registration richard robert roger rock rockyou ronaldo root rosebud
russia samantha samsung samuel saturday school scooter secret secure security september server service
sex sexy shadow shannon sharon shit shop silver simple simpson skate slayer slipknot smokey snickers snoopy
soccer softball software solutions something sophie spider spiderman spring standard star startrek starwars
station steelers stella stephanie steven stupid success summer sunday sunshine super superman superstar
support suzuki sweet sweety sydney system taylor teacher tech temp tempo temporary tennis teresa test tester
testing texas thanks theman thomas thunder thursday tiffany tigger tiger time tinkerbell today tomorrow
toyota travis trustno trust tuesday tweety twitter tyler united unknown user username vanessa victoria viking
vincent virginia warcraft warrior wednesday welcome whatever white wild william willow wilson windows
winner winston winter wizard wolf wordpress work world xavier yamaha yankees yellow you your zaq zxcvbn`
    .split(/\s+/)
    .filter((word) => word.length >= 3);

const keyboard = ['1234567890-=', 'qwertyuiop[]', "asdfghjkl;'", 'zxcvbnm,./'];
const keys = new Map(
  keyboard.flatMap((row, y) =>
    row.split('').map((key, x): [string, [number, number]] => [key, [x, y]]),
  ),
);

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

/** Refuses a new password that's easy to guess. */
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

/** The length of a run of neighbors, on the keyboard or in the alphabet; less than three are no run. */
function runAt(text: string, at: number): number {
  let end = at + 1;
  while (end < text.length && areNeighbors(text.charAt(end - 1), text.charAt(end))) end++;
  return end - at >= 3 ? end - at : 0;
}

function areNeighbors(one: string, other: string): boolean {
  if (Math.abs(one.charCodeAt(0) - other.charCodeAt(0)) <= 1) return true;
  const [a, b] = [keys.get(one), keys.get(other)];
  return (
    a !== undefined && b !== undefined && Math.abs(a[0] - b[0]) <= 1 && Math.abs(a[1] - b[1]) <= 1
  );
}
