/** What the buttons on the page say, now and after the page or its owner changed the language. */
import type { PageHost } from '../loader/page-hints.ts';
import { offerStrings } from '../text/english.ts';
import { loadLanguage } from '../text/load-language.ts';

export interface OfferText {
  /** As it is now. */
  now: typeof offerStrings;
  /** Calls `label` now, and whenever the words have changed. */
  watch: (label: () => void) => void;
}

/** Settles when the words of the first language are there. */
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
    // Another one is on its way.
    if (lang !== host.lang) return;
    text.now = { ...offerStrings, ...translation, ...settings().strings };
    for (const label of labels) label();
  };
  // Written with every change of the settings, also where it stays the same.
  const observer = new MutationObserver(() => void update());
  observer.observe(host, { attributeFilter: ['lang'] });
  signal.addEventListener('abort', () => observer.disconnect());
  await update();
  return text;
}
