/** The texts of another language than English, each a file of its own that is loaded when it is needed. */
import type { offerStrings } from './english.ts';
import type { Text } from './text.ts';

/** All keys of all groups of english.ts but the launcher's, which are in language.ts. What is missing is said in English. */
export type Translation = { [Group in keyof Text]?: Partial<Text[Group]> } & {
  offer?: Partial<typeof offerStrings>;
};

export const languages: Readonly<Record<string, () => Promise<{ translation: Translation }>>> = {
  ar: () => import('./languages/ar.ts'),
  de: () => import('./languages/de.ts'),
  es: () => import('./languages/es.ts'),
  fr: () => import('./languages/fr.ts'),
  it: () => import('./languages/it.ts'),
  ja: () => import('./languages/ja.ts'),
  ko: () => import('./languages/ko.ts'),
  nl: () => import('./languages/nl.ts'),
  pl: () => import('./languages/pl.ts'),
  pt: () => import('./languages/pt.ts'),
  ru: () => import('./languages/ru.ts'),
  tr: () => import('./languages/tr.ts'),
  uk: () => import('./languages/uk.ts'),
  'zh-tw': () => import('./languages/zh-tw.ts'),
  zh: () => import('./languages/zh.ts'),
};

/** `undefined` for English, and where the file does not come: English is better than nothing. */
export async function loadLanguage(language: string): Promise<Translation | undefined> {
  const load = Object.hasOwn(languages, language) ? languages[language] : undefined;
  try {
    return (await load?.())?.translation;
  } catch {
    return undefined;
  }
}
