/** The texts of another language than English, each a file of its own that is loaded when it is needed. */
import type { contextStrings, menuStrings, offerStrings, panelStrings, problemStrings } from './english.ts';

/** Of each group of english.ts all keys; what is missing in it is said in English. */
export interface Translation {
  offer: Partial<typeof offerStrings>;
  panel: Partial<typeof panelStrings>;
  context: Partial<typeof contextStrings>;
  menu: Partial<typeof menuStrings>;
  problems: Partial<typeof problemStrings>;
}

type Loaded = { translation: Translation };

const languages: Readonly<Record<string, () => Promise<Loaded>>> = {
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
