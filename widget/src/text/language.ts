/** The language of a widget. In the loader, because the launcher needs a name. */
import { launcherStrings } from './english.ts';

/** "Ask" by language tag. A longer tag comes before its prefix. */
const ask: Readonly<Record<string, string>> = {
  ar: 'اسأل',
  de: 'Fragen',
  es: 'Preguntar',
  fr: 'Demander',
  it: 'Chiedi',
  ja: '質問',
  ko: '질문',
  nl: 'Vragen',
  pl: 'Zapytaj',
  pt: 'Perguntar',
  ru: 'Спросить',
  tr: 'Sor',
  uk: 'Запитати',
  'zh-tw': '提問',
  zh: '提问',
};

/** One word for all texts of the launcher, because every page loads all languages. */
export function launcherText(language: string): typeof launcherStrings {
  const button = ask[language];
  return button
    ? { button, buttonName: button, loading: '…', failed: `↻ ${button}` }
    : launcherStrings;
}

/** The language of a setting. `auto` is that of the page. */
export function languageOf(setting: string): string {
  const wanted = (setting === 'auto' ? document.documentElement.lang : setting)
    .toLowerCase()
    // A common mistake.
    .replaceAll('_', '-')
    .replace(/^zh-(hant|hk|mo).*/, 'zh-tw');
  return Object.keys(ask).find((tag) => `${wanted}-`.startsWith(`${tag}-`)) ?? 'en';
}

export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');
