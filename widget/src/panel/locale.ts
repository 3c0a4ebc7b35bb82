/** How the panel writes dates and numbers. */
import type { PanelDeps } from './deps.ts';

/**
 * In the language that it speaks; as in a region (`de-CH`), where the page or its owner names one. With
 * the digits that answers and their citations have, also in Arabic.
 */
export function localeOf({ settings, shadow }: Pick<PanelDeps, 'settings' | 'shadow'>): string {
  const spoken = (shadow.host as HTMLElement).lang || 'en';
  const { language } = settings.value;
  const named = language === 'auto' ? document.documentElement.lang : language;
  return latin(named.replaceAll('_', '-'), spoken) ?? latin(spoken, spoken) ?? 'en';
}

/** `undefined` for another language than the one that is spoken, and for what names none. */
function latin(named: string, spoken: string): string | undefined {
  try {
    const locale = new Intl.Locale(named, { numberingSystem: 'latn' });
    return spoken.split('-')[0] === locale.language ? locale.toString() : undefined;
  } catch {
    return undefined; // The page's owner wrote something else there.
  }
}
