/** Tells whether a question refers to the page that the reader has in front of them. */
import { fold } from '../../retrieval/ranker/analysis.ts';
import { stopWordsOf, weakWords } from '../../retrieval/ranker/stop-words.ts';
import referringWords from './referring-words.json' with { type: 'json' };

/**
 * Words by which a question refers to what the reader has in front of them: "explain this page", "the
 * example above", "what does this do?". One entry per language of the widget. `*` stands for any ending.
 * In Japanese and Chinese, words are found inside the text, the longest first.
 */
interface ReferringWords {
  /** Words that point, also without a noun: "explain this". Accents count: "esta" isn't "está". */
  these: string;
  /** Words that point only next to a part: "the example above". Accents count. */
  places: string;
  /** The page itself, in the singular and without accents: "the page". If a question names nothing else, it means it. */
  whole: string;
  /** What a page consists of, and the page, without accents. They mean the reader's next to a word that points. */
  parts: string;
  /** What a page belongs to, without accents. "This site" isn't the page. */
  larger: string;
  /** Words that don't say what a question is about, in addition to the stop words, without accents. */
  plain: string;
}

export interface PageReference {
  /** It names the page or a part of it: "this page", "the example above". */
  isNamed: boolean;
  /** It only points: "what does this do?" */
  isPointing: boolean;
  /** The number of words that say what the question is about. "Explain this page" has none. */
  subjects: number;
}

/** Only the beginning of a long question counts. */
const maxLength = 2_000;
/** A question that names more is about that, and "this" is something it describes itself. */
const maxSubjects = 3;

/** How a question refers to the reader's page; `undefined` if it doesn't. */
export function readReference(text: string): PageReference | undefined {
  const words = splitWords(text.slice(0, maxLength).toWellFormed());
  // Words of one language can be names in another, so only the language that knows most of the words counts.
  const [best] = languages
    .flatMap((language) => referenceIn(language, words) ?? [])
    .sort((a, b) => a.subjects - b.subjects || clarity(b) - clarity(a));
  return best && (best.isNamed || best.isPointing || best.subjects === 0) ? best : undefined;
}

function clarity({ isNamed, isPointing }: PageReference): number {
  return 2 * Number(isNamed) + Number(isPointing);
}

function referenceIn(language: Language, text: readonly Word[]): PageReference | undefined {
  const words = language.split(text);
  if (words.length === 0) return undefined;
  // Most questions have no such word.
  if (!words.some((word) => mayRefer(language, word))) {
    const subjects = words.filter(({ folded }) => !language.plain.has(folded)).length;
    return { isNamed: false, isPointing: false, subjects };
  }
  const roles = words.map((word) => rolesOf(language, word));
  // "This site" and "this open source project" don't point at the page; "this page of the docs" does.
  for (const [at, role] of roles.entries()) {
    if (!role.isThese) continue;
    const next = roles.slice(at + 1, at + 4).find(({ isPart, isLarger }) => isPart || isLarger);
    if (next?.isLarger) role.isThese = false;
  }
  const used = new Set<number>();
  for (const [at, { isPart }] of roles.entries()) {
    if (!isPart) continue;
    const isPointedAt = [at - 1, at - 2].some(
      (before) => roles[before]?.isThese || roles[before]?.isPlace,
    );
    if (isPointedAt || [at + 1, at + 2].some((after) => roles[after]?.isPlace)) used.add(at);
  }
  const names = roles.filter(
    ({ isThese, isPlace, isPlain }, at) => !isThese && !isPlace && !isPlain && !used.has(at),
  );
  // "The page" means the reader's if the question names nothing else.
  const isWhole = names.length > 0 && names.every((name) => name.isWhole);
  const subjects = isWhole ? 0 : names.length;
  const isPointing = subjects <= maxSubjects && roles.some(({ isThese }) => isThese);
  return { isNamed: isWhole || used.size > 0, isPointing, subjects };
}

interface Word {
  /** In lower case, as written. */
  written: string;
  /** Also without accents. */
  folded: string;
}

function mayRefer({ these, places, whole, parts }: Language, { written, folded }: Word): boolean {
  return these.has(written) || places.has(written) || parts.has(folded) || whole.has(folded);
}

function rolesOf(language: Language, { written, folded }: Word) {
  const isLarger = language.larger.has(folded);
  return {
    isThese: language.these.has(written),
    isPlace: language.places.has(written),
    isLarger,
    isWhole: !isLarger && language.whole.has(folded),
    isPart: !isLarger && (language.parts.has(folded) || language.whole.has(folded)),
    isPlain: language.plain.has(folded),
  };
}

type Language = ReturnType<typeof toLanguage>;

/** Runs of Japanese and Chinese letters. Korean has spaces. */
const unspacedRun = /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+)/u;
/** Endings and particles of Japanese. */
const onlyHiragana = /^\p{Script=Hiragana}+$/u;

const languages = Object.entries(referringWords).map(([name, words]) => toLanguage(name, words));

function toLanguage(name: string, { these, places, whole, parts, larger, plain }: ReferringWords) {
  const stopWords = stopWordsOf(name);
  const weak: ReadonlySet<string> = name === 'en' ? weakWords : new Set();
  const listed = toWords(plain.toLowerCase(), toFolded);
  const lists = {
    these: toWords(these, (word) => word),
    places: toWords(places, (word) => word),
    whole: toWords(whole, toFolded),
    parts: toWords(parts, toFolded),
    larger: toWords(larger, toFolded),
    plain: {
      has: (word: string) => listed.has(word) || stopWords.has(word) || weak.has(word),
    },
  };
  const inside = unspacedRun.test(these)
    ? [these, places, whole, parts, larger, plain].flatMap((list) => list.split(/\s+/))
    : [];
  return {
    ...lists,
    split:
      inside.length > 0
        ? splitter(new Set(inside))
        : (words: readonly Word[]) => (words.some(hasUnspaced) ? [] : words),
  };
}

/** The Polish and the Turkish letter have no accent that could be removed. */
function toFolded(word: string): string {
  return fold(word).toLowerCase().replaceAll('ł', 'l').replaceAll('ı', 'i');
}

/** A list in which `*` stands for any ending. */
function toWords(list: string, normalize: (word: string) => string) {
  const all = list.split(/\s+/);
  const whole = new Set(all.filter((word) => !word.endsWith('*')).map(normalize));
  const stems = all
    .filter((word) => word.endsWith('*'))
    .map((word) => normalize(word.slice(0, -1)));
  return {
    has: (word: string): boolean =>
      whole.has(word) || stems.some((stem) => stem !== '' && word.startsWith(stem)),
  };
}

const hasUnspaced = ({ written }: Word): boolean => unspacedRun.test(written);

function splitWords(text: string): Word[] {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
  return words.map((written) => ({ written, folded: toFolded(written) }));
}

/** Splits text without spaces at the listed words. Text in other languages has none. */
function splitter(listed: ReadonlySet<string>) {
  const longest = Math.max(...[...listed].map((word) => word.length));
  const splitRun = (run: string): string[] => {
    const pieces: string[] = [];
    let rest = '';
    const addRest = () => {
      if (rest !== '' && !onlyHiragana.test(rest)) pieces.push(rest);
      rest = '';
    };
    for (let at = 0; at < run.length;) {
      let length = Math.min(longest, run.length - at);
      while (length > 0 && !listed.has(run.slice(at, at + length))) length -= 1;
      if (length > 0) addRest();
      if (length > 0) pieces.push(run.slice(at, at + length));
      else rest += run.charAt(at);
      at += length || 1;
    }
    addRest();
    return pieces;
  };
  return (words: readonly Word[]): Word[] => {
    if (!words.some(hasUnspaced)) return [];
    const pieces = words.flatMap(({ written }) =>
      written
        .split(unspacedRun)
        .flatMap((run) => (unspacedRun.test(run) ? splitRun(run) : run || [])),
    );
    return pieces.map((piece) => ({ written: piece, folded: piece }));
  };
}
