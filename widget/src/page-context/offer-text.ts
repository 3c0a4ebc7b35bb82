/** The texts of the buttons on the page, updated when the language changes. */
import type { PageHost } from '../loader/page-hints.ts';
import { offerStrings } from '../text/english.ts';
import { watchLanguage } from '../text/load-language.ts';

export interface OfferText {
  now: typeof offerStrings;
  /** Calls `label` now and after each change of the texts. */
  watch: (label: () => void) => void;
}

export async function createOfferText({ shadow, settings, signal }: PageHost): Promise<OfferText> {
  const labels: (() => void)[] = [];
  const text: OfferText = {
    now: offerStrings,
    watch(label) {
      labels.push(label);
      label();
    },
  };
  const ready = watchLanguage(shadow.host as HTMLElement, signal, (translation) => {
    text.now = { ...offerStrings, ...translation, ...settings().strings };
    for (const label of labels) label();
  });
  await ready();
  return text;
}
