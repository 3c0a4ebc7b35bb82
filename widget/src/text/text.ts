/** The texts of a panel, in the language of its page and with the words of the site's owner. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Settings } from '../loader/settings.ts';
import { english } from './english.ts';
import { type Translation, watchLanguage } from './load-language.ts';
export { fill } from './fill.ts';

export type Text = typeof english;

export const TextContext = createContext<ReadonlySignal<Text> | undefined>(undefined);

/** Draws again when the language changes. */
export function useText(): Text {
  return useContext(TextContext)?.value ?? english;
}

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
