/**
 * Which language a widget speaks: that of its page, where we have it, else English. In the loader, as
 * the launcher has to be named before anything else is loaded.
 */
import { launcherStrings } from './english.ts';

/** "Ask" beside English, by language tag in small letters. A longer tag stands before the shorter one it begins with. */
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

/** What the launcher says: beside English one word has to do, as every page loads all of them. */
export function launcherText(language: string): typeof launcherStrings {
  const button = ask[language];
  return button
    ? { button, buttonName: button, loading: '…', failed: `↻ ${button}` }
    : launcherStrings;
}

/** The best that we have for a setting: `auto` follows `<html lang>`. */
export function languageOf(setting: string): string {
  const wanted = (setting === 'auto' ? document.documentElement.lang : setting)
    .toLowerCase()
    // Not as it should be, and often found.
    .replaceAll('_', '-')
    .replace(/^zh-(hant|hk|mo).*/, 'zh-tw');
  return Object.keys(ask).find((tag) => `${wanted}-`.startsWith(`${tag}-`)) ?? 'en';
}

/** How it is written. */
export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');
