/**
 * Which version of the documentation a question is about. If nothing says it, and the versions say different
 * things, the assistant asks back, once per conversation. What the search found decides, without a model; in a
 * site without versions, that's one look at its pages. The specification doesn't say how, so we chose it.
 */
import { type AnswerQuestion, maxChoices } from '@docent/shared/stream';
import { terms } from '../../retrieval/ranker/analysis.ts';
import {
  type FoundPage,
  notFoundBelow,
  type Page,
  type Passage,
  type Retriever,
  type SearchQuery,
  type SearchResult,
} from '../../retrieval/retriever.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { PastTurn } from '../conversations/threads.ts';
import type { Question } from './question.ts';
import type { ReaderPages } from './reader-pages.ts';

/** Stands for a model where the answer is a question back. */
export const askBackModel = 'docent/question';

/**
 * Both are from `ask-back.bench.ts`. A version counts if its best page has this share of the best score, and
 * passages say the same if they share this much of their words.
 */
const least = { score: 0.6, shared: 0.4 };
/** What a reader can press and say. Crawled pages may have anything as their version. */
const nameable = /^[\p{L}\p{N}][\p{L}\p{N} .+_-]{0,39}$/u;

/** The question back, also for clients that show only text. */
const questionBack = 'The answer depends on the version. Which one do you use?';
export const toText = (choices: readonly string[]) =>
  [`${questionBack}\n`, ...choices.map((one) => `- ${one}`)].join('\n');

export const toQuestion = (choices: string[]): AnswerQuestion => ({
  about: 'version',
  question: questionBack,
  choices,
});

/** A reader who was asked back says a version: it's about the question before. */
export function withChoice(question: Question, history: readonly PastTurn[]): Question {
  const asked = history.at(-1);
  const choice = asked?.choices?.find((one) => names([one], question.text, '').length > 0);
  if (!asked || choice === undefined) return question;
  return { ...question, text: `${asked.question} (${choice})` };
}

interface Situation {
  question: Question;
  history: readonly PastTurn[];
  pages: Pick<ReaderPages, 'current' | 'selectedOn' | 'reference'>;
  /** Readers write "Kestrel 2". */
  product: string;
  /** False if an answer without a reader is made, or the conversation had its question back. */
  mayAsk: boolean;
  /** Searches one version. */
  find: (version: string) => Promise<SearchResult>;
  page: (path: string) => Promise<Page | undefined>;
}

/** What the question's version says, or the versions to choose from, the newest first. */
export async function settleVersion(
  found: SearchResult,
  { question, history, pages, product, mayAsk, find, page }: Situation,
): Promise<{ found: SearchResult; choices?: string[] }> {
  const { current, selectedOn, reference } = pages;
  const own = versionsOf([...selectedOn.values(), ...(current ? [current] : [])]);
  const said = history.flatMap(({ choices = [] }) => choices);
  const known = new Set([...versionsOf(found.pages), ...own, ...said]);
  if (known.size < 2 || question.filter?.version !== undefined) return { found };
  const earlier = history.map((turn) => turn.question).toReversed();
  const [inQuestion = [], ...inEarlier] = [question.text, ...earlier].map((text) =>
    names([...known], text, product),
  );
  const meant = [inQuestion, own, ...inEarlier].find((versions) => versions.length > 0);
  if (!meant) {
    const isAbout = reference !== undefined || question.context.length > 0;
    const choices = mayAsk && !isAbout ? await choicesIn(found, page) : [];
    return choices.length > 1 ? { found, choices } : { found };
  }
  const [version] = meant;
  const isOther = (one: FoundPage) => one.version !== undefined && one.version !== version;
  if (version === undefined || meant.length > 1 || !found.pages.some(isOther)) return { found };
  const narrow = await find(version);
  // A page in an old version may link to what only the new one has.
  return meant === own && narrow.confidence < notFoundBelow ? { found } : { found: narrow };
}

/** The same for a search without a conversation. */
export async function choicesFor(
  found: SearchResult,
  { text, filter }: SearchQuery,
  { domain, name }: Pick<Site, 'domain' | 'name'>,
  retriever: Pick<Retriever, 'page'>,
): Promise<string[]> {
  const versions = versionsOf(found.pages);
  const isSaid = filter?.version !== undefined || names(versions, text, name).length > 0;
  if (isSaid || versions.length < 2) return [];
  return choicesIn(found, (path) => retriever.page(domain, path, filter));
}

/** The versions that say different things, at most `maxChoices`, the newest first; empty: there aren't several. */
async function choicesIn(
  { pages, confidence }: SearchResult,
  page: Situation['page'],
): Promise<string[]> {
  const enough = (pages[0]?.score ?? 0) * least.score;
  const named = pages.filter(({ version = '' }) => nameable.test(version));
  const found = [...Map.groupBy(named, ({ version = '' }) => version).values()].filter(
    ([best]) => (best?.score ?? 0) >= enough,
  );
  const [first, ...others] = found;
  if (!first || others.length === 0 || confidence < notFoundBelow) return [];
  const isSame = await Promise.all(
    others.map(async (other) => (await says(other, first, page)) || says(first, other, page)),
  );
  if (isSame.every(Boolean)) return [];
  const newestFirst = (a: string, b: string) => b.localeCompare(a, 'en', { numeric: true });
  return versionsOf(found.flat()).slice(0, maxChoices).sort(newestFirst);
}

/** Whether one version says what the best passage of another says: in what was found of it, or on its best page. */
async function says(
  one: readonly FoundPage[],
  other: readonly FoundPage[],
  page: Situation['page'],
): Promise<boolean> {
  const [best] = other[0]?.passages ?? [];
  const whole = one[0] && (await page(one[0].path));
  const words = new Set(best && wordsOf(best));
  return [...(whole?.passages ?? []), ...one.flatMap(({ passages }) => passages)].some(
    (passage) => {
      const theirs = new Set(wordsOf(passage));
      const shared = [...words].filter((word) => theirs.has(word)).length;
      return shared >= least.shared * (words.size + theirs.size - shared);
    },
  );
}

const wordsOf = ({ markdown }: Passage) => terms(markdown);

const versionsOf = (pages: readonly { version?: string }[]) => [
  ...new Set(pages.flatMap(({ version }) => version ?? [])),
];

/** The word "version" in the languages of the widget that write it like this. */
const versionWord = /^(v|ver|wers?[a-z]*|ver[sz][a-zãéó]*)$/;
const plain = (name: string) =>
  name
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .replace(/\.x$/, '');

/**
 * The versions that a text names: as a whole, in parentheses at its end, or by a word such as `v2`, `2.1`, or
 * `2.1.4`. A bare number follows the product's name or "version", and a name without a digit, such as `next`,
 * is too common a word.
 */
export function names(versions: readonly string[], text: string, product: string): string[] {
  const whole = text.trim().toLowerCase();
  const exact = versions.find(
    (one) => whole === one.toLowerCase() || whole.endsWith(`(${one.toLowerCase()})`),
  );
  if (exact !== undefined) return [exact];
  const words = whole.match(/[\p{L}\p{N}]+(?:[.\-_][\p{L}\p{N}]+)*/gu) ?? [];
  const ofProduct = product.toLowerCase().split(/\s+/).at(-1) ?? '';
  const found = words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    const isMarked = /^v\d/.test(word) || before === ofProduct || versionWord.test(before);
    const isAlone = words.length - (versionWord.test(words[0] ?? '') ? 1 : 0) === 1;
    const name = plain(word);
    const fitting = versions.filter((one) => {
      const version = plain(one);
      if (!/\d/.test(version)) return false;
      if (name === version) return isMarked || isAlone || /\D/.test(word);
      return name.startsWith(`${version}.`) && (isMarked || name.split('.').length > 2);
    });
    return fitting.toSorted((a, b) => b.length - a.length).slice(0, 1);
  });
  return [...new Set(found)];
}
