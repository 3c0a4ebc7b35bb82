/** On a site with pages in several languages: the ones to answer a question from. */
import { analyze } from './ranker/analysis.ts';
import { languageOf } from './ranker/stop-words.ts';
import { normalizePath } from './page-path.ts';
import type { SearchQuery } from './retriever.ts';

/** The languages of pages, the one with the most pages first. */
export function languagesOf(pages: Iterable<{ language?: string | undefined }>): string[] {
  const counts = new Map<string, number>();
  for (const { language } of pages)
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a).map(([language]) => language);
}

/** `pt` of `pt-BR`. */
const primary = (language: string) => language.toLowerCase().split(/[-_]/, 1)[0];

/**
 * The languages to search, one attempt after the other until one has an answer; `undefined`: all. Pages
 * without a language belong to each of them. A translation may lack pages that the main language has.
 */
export function languageAttempts(
  languages: readonly string[],
  { text, before = [], currentPath, filter }: SearchQuery,
): (readonly string[] | undefined)[] {
  const [first = ''] = languages;
  if (languages.length < 2 || filter?.language !== undefined) return [undefined];
  const main = languages.find((one) => primary(one) === 'en') ?? first;
  const page = currentPath === undefined ? undefined : languageOfPath(currentPath, languages);
  const asked = [text, ...before].map((one) => askedIn(one, languages)).find((one) => one.length);
  if (!asked) return [[page ?? main], undefined];
  // Of several variants, such as `zh-CN` and `zh-TW`, the reader's page has the right one.
  const own = page !== undefined && asked.includes(page) ? [page] : asked;
  return own.includes(main) ? [own] : [own, [...own, main]];
}

/** Where translations are in folders of their own, an address begins with the language, maybe below a base path. */
function languageOfPath(path: string, languages: readonly string[]): string | undefined {
  const parts = normalizePath(path).toLowerCase().split('/');
  return languages.find((one) => parts.includes(one.toLowerCase()));
}

const scripts: readonly (readonly [languages: RegExp, letters: RegExp])[] = [
  [/^ja$/, /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  [/^ko$/, /\p{Script=Hangul}/u],
  [/^zh$/, /\p{Script=Han}/u],
  [/^(ru|uk|be|bg|sr|mk|kk|mn)$/, /\p{Script=Cyrillic}/u],
  [/^(ar|fa|ur)$/, /\p{Script=Arabic}/u],
  [/^he$/, /\p{Script=Hebrew}/u],
  [/^el$/, /\p{Script=Greek}/u],
  [/^th$/, /\p{Script=Thai}/u],
  [/^(hi|mr|ne)$/, /\p{Script=Devanagari}/u],
  [/^bn$/, /\p{Script=Bengali}/u],
];

/** Those of the languages that a question is in; none if its words don't tell. */
function askedIn(text: string, languages: readonly string[]): string[] {
  // Japanese has Chinese characters too, so it comes first.
  const script = scripts.find(([, letters]) => letters.test(text))?.[0];
  if (script) return languages.filter((one) => script.test(primary(one) ?? ''));
  const words: string[] = [];
  analyze(text, (_, raw) => words.push(raw));
  const known = languageOf(words);
  return languages.filter((one) => primary(one) === known);
}
