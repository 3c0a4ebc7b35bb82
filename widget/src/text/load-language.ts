/** Loads the texts of other languages than English. */
import type { english, offerStrings } from './english.ts';
import type { deflectStrings } from './deflect-strings.ts';
import type { formStrings } from './form-strings.ts';

/** The keys of english.ts except the launcher's, which are in language.ts. */
export type Translation = Partial<
  typeof english & typeof offerStrings & typeof formStrings & typeof deflectStrings
>;

/**
 * French has spaces that don't break before `: ; ? !` and inside « », as its typography asks for, and
 * Portuguese is that of Brazil.
 */
export const languages: Readonly<Record<string, () => Promise<{ default: Translation }>>> = {
  ar: () => import('./languages/ar.json', { with: { type: 'json' } }),
  de: () => import('./languages/de.json', { with: { type: 'json' } }),
  es: () => import('./languages/es.json', { with: { type: 'json' } }),
  fr: () => import('./languages/fr.json', { with: { type: 'json' } }),
  it: () => import('./languages/it.json', { with: { type: 'json' } }),
  ja: () => import('./languages/ja.json', { with: { type: 'json' } }),
  ko: () => import('./languages/ko.json', { with: { type: 'json' } }),
  nl: () => import('./languages/nl.json', { with: { type: 'json' } }),
  pl: () => import('./languages/pl.json', { with: { type: 'json' } }),
  pt: () => import('./languages/pt.json', { with: { type: 'json' } }),
  ru: () => import('./languages/ru.json', { with: { type: 'json' } }),
  tr: () => import('./languages/tr.json', { with: { type: 'json' } }),
  uk: () => import('./languages/uk.json', { with: { type: 'json' } }),
  'zh-tw': () => import('./languages/zh-tw.json', { with: { type: 'json' } }),
  zh: () => import('./languages/zh.json', { with: { type: 'json' } }),
};

/** `undefined` for English, or if the file doesn't load: then the texts are in English. */
export async function loadLanguage(language: string): Promise<Translation | undefined> {
  const load = Object.hasOwn(languages, language) ? languages[language] : undefined;
  try {
    return (await load?.())?.default;
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
