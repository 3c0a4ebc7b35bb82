/** The texts of the buttons on the page, updated when the language changes. */
import type { PageHost } from '../loader/page-hints.ts';
import type { offerStrings } from '../text/english.ts';
import { watchLanguage } from '../text/load-language.ts';

export interface OfferText<Strings = typeof offerStrings> {
  now: Strings;
  /** Calls `label` now and after each change of the texts. */
  watch: (label: () => void) => void;
}

export async function createOfferText<Strings extends object>(
  { shadow, settings, signal }: PageHost,
  strings: Strings,
): Promise<OfferText<Strings>> {
  const labels: (() => void)[] = [];
  const text: OfferText<Strings> = {
    now: strings,
    watch(label) {
      labels.push(label);
      label();
    },
  };
  const ready = watchLanguage(shadow.host as HTMLElement, signal, (translation) => {
    text.now = { ...strings, ...translation, ...settings().strings } as Strings;
    for (const label of labels) label();
  });
  await ready();
  return text;
}
