/** The texts of the buttons on the page, updated when the language changes. */
import type { PageHost } from '../loader/page-hints.ts';
import { offerStrings } from '../text/english.ts';
import { loadLanguage } from '../text/load-language.ts';

export interface OfferText {
  now: typeof offerStrings;
  /** Calls `label` now and after each change of the texts. */
  watch: (label: () => void) => void;
}

export async function createOfferText({ shadow, settings, signal }: PageHost): Promise<OfferText> {
  const host = shadow.host as HTMLElement;
  const labels: (() => void)[] = [];
  const text: OfferText = {
    now: offerStrings,
    watch(label) {
      labels.push(label);
      label();
    },
  };
  const update = async () => {
    const { lang } = host;
    const translation = await loadLanguage(lang);
    if (lang !== host.lang) return;
    text.now = { ...offerStrings, ...translation, ...settings().strings };
    for (const label of labels) label();
  };
  const observer = new MutationObserver(() => void update());
  observer.observe(host, { attributeFilter: ['lang'] });
  signal.addEventListener('abort', () => observer.disconnect());
  await update();
  return text;
}
