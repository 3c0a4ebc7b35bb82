/** The texts of a panel: its language, and the owner's texts. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Settings } from '../loader/settings.ts';
import { loadLanguage, type Translation } from './load-language.ts';
import { english } from './english.ts';
import type { Text } from './text.ts';

/** `host`: the widget's element, whose `lang` is the language. */
export function createText(
  host: HTMLElement,
  settings: ReadonlySignal<Settings>,
  gone: AbortSignal,
): { text: ReadonlySignal<Text>; ready: () => Promise<unknown> | undefined } {
  const translation = signal<Translation | undefined>(undefined);
  let language = 'en';
  /** Set while a language loads, so that the panel opens in it. */
  let loading: Promise<unknown> | undefined;
  const update = () => {
    const wanted = host.lang || 'en';
    if (wanted === language) return;
    language = wanted;
    const now = loadLanguage(wanted).then((found) => {
      if (wanted !== language) return;
      translation.value = found;
      loading = undefined;
    });
    loading = now;
  };
  const observer = new MutationObserver(update);
  observer.observe(host, { attributeFilter: ['lang'] });
  gone.addEventListener('abort', () => observer.disconnect());
  update();
  return {
    text: computed(() => ({ ...english, ...translation.value, ...settings.value.strings })),
    ready: () => loading,
  };
}
