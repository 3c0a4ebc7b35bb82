/**
 * Which language a widget speaks: that of its page, where we have it, else English. In the loader, as
 * the launcher has to be named before anything else is loaded.
 */
import { launcherStrings } from './english.ts';

type LauncherText = typeof launcherStrings;

const launcher = (
  button: string,
  buttonName: string,
  loading: string,
  failed: string,
): LauncherText => ({ button, buttonName, loading, failed });

/** By language tag in small letters. A longer tag stands before the shorter one that it begins with. */
export const launcherTexts: Readonly<Record<string, LauncherText>> = {
  en: launcherStrings,
  ar: launcher('اسأل', 'اسأل الوثائق', 'جارٍ الفتح…', 'تعذّر التحميل. حاول مجددًا'),
  de: launcher('Fragen', 'Die Doku fragen', 'Wird geöffnet …', 'Nicht geladen. Noch einmal'),
  es: launcher(
    'Preguntar',
    'Preguntar a la documentación',
    'Abriendo…',
    'No se pudo cargar. Reintentar',
  ),
  fr: launcher(
    'Demander',
    'Interroger la documentation',
    'Ouverture…',
    'Échec du chargement. Réessayer',
  ),
  it: launcher('Chiedi', 'Chiedi alla documentazione', 'Apertura…', 'Non caricato. Riprova'),
  ja: launcher('質問', 'ドキュメントに質問', '開いています…', '読み込めません。再試行'),
  ko: launcher('질문', '문서에 질문하기', '여는 중…', '불러오지 못함. 다시 시도'),
  nl: launcher('Vragen', 'Vraag het de documentatie', 'Openen…', 'Niet geladen. Opnieuw'),
  pl: launcher('Zapytaj', 'Zapytaj dokumentację', 'Otwieranie…', 'Nie wczytano. Ponów'),
  pt: launcher('Perguntar', 'Perguntar à documentação', 'Abrindo…', 'Não carregou. Tentar de novo'),
  ru: launcher('Спросить', 'Спросить документацию', 'Открывается…', 'Не загрузилось. Повторить'),
  tr: launcher('Sor', 'Belgelere sor', 'Açılıyor…', 'Yüklenemedi. Tekrar dene'),
  uk: launcher('Запитати', 'Запитати документацію', 'Відкривається…', 'Не завантажено. Повторити'),
  'zh-tw': launcher('提問', '詢問文件', '正在開啟…', '無法載入，請重試'),
  zh: launcher('提问', '询问文档', '正在打开…', '无法加载，请重试'),
};

/** The best that we have for a setting: `auto` follows `<html lang>`. */
export function languageOf(setting: string): string {
  const wanted = (setting === 'auto' ? document.documentElement.lang : setting)
    .toLowerCase()
    .replace(/^zh-(hant|hk|mo).*/, 'zh-tw');
  const known = Object.keys(launcherTexts);
  return known.find((tag) => `${wanted}-`.startsWith(`${tag}-`)) ?? 'en';
}

/** How it is written. */
export const directionOf = (language: string): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr');

/** Calls `apply` when the page changes its language. */
export function followLanguage(apply: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(apply);
  observer.observe(document.documentElement, { attributeFilter: ['lang'] });
  signal.addEventListener('abort', () => observer.disconnect());
}
