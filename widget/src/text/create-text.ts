/** The texts of a panel: its language, and the owner's texts. */
import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { Settings } from '../loader/settings.ts';
import { type Translation, watchLanguage } from './load-language.ts';
import { english } from './english.ts';

export function createText(
  host: HTMLElement,
  settings: ReadonlySignal<Settings>,
  gone: AbortSignal,
) {
  const translation = signal<Translation | undefined>(undefined);
  return {
    text: computed(() => ({ ...english, ...translation.value, ...settings.value.strings })),
    /** Settles when the texts have loaded, so that the panel opens in its language. */
    ready: watchLanguage(host, gone, (next) => (translation.value = next)),
  };
}
