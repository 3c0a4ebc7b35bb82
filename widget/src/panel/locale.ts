import type { PanelDeps } from './deps.ts';

/**
 * The locale of dates and numbers: the panel's language, with the page's region. Digits are Latin,
 * as in answers and citations.
 */
export function localeOf({ settings, shadow }: Pick<PanelDeps, 'settings' | 'shadow'>): string {
  const spoken = (shadow.host as HTMLElement).lang || 'en';
  const { language } = settings.value;
  const named = language === 'auto' ? document.documentElement.lang : language;
  return latin(named.replaceAll('_', '-'), spoken) ?? latin(spoken, spoken) ?? 'en';
}

/** `undefined` for another language, or an invalid tag. */
function latin(named: string, spoken: string): string | undefined {
  try {
    const locale = new Intl.Locale(named, { numberingSystem: 'latn' });
    return spoken.split('-')[0] === locale.language ? locale.toString() : undefined;
  } catch {
    return undefined; // The page's owner wrote something else there.
  }
}
