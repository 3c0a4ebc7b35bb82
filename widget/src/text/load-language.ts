/** Loads the texts of other languages than English. */
import type { english, offerStrings } from './english.ts';

/** The keys of english.ts except the launcher's, which are in language.ts. */
export type Translation = Partial<typeof english & typeof offerStrings>;

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

/** `undefined` for English, or if the file doesn't load: then the texts are in English. */
export async function loadLanguage(language: string): Promise<Translation | undefined> {
  const load = Object.hasOwn(languages, language) ? languages[language] : undefined;
  try {
    return (await load?.())?.translation;
  } catch {
    return undefined;
  }
}

/**
 * Calls `onLoad` with the texts of the widget's `lang`, now and after each change of the settings.
 * Returns a function whose promise settles when the newest texts have loaded.
 */
export function watchLanguage(
  host: HTMLElement,
  gone: AbortSignal,
  onLoad: (translation: Translation | undefined) => void,
): () => Promise<void> {
  const update = async () => {
    const { lang } = host;
    const translation = await loadLanguage(lang);
    if (lang === host.lang) onLoad(translation);
  };
  const observer = new MutationObserver(() => (newest = update()));
  observer.observe(host, { attributeFilter: ['lang'] });
  gone.addEventListener('abort', () => observer.disconnect());
  let newest = update();
  return () => newest;
}
