/** The texts of a panel, in the language of its page and with the words of the site's owner. */
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { english } from './english.ts';
export { fill } from './fill.ts';

export type Text = typeof english;

export const TextContext = createContext<ReadonlySignal<Text> | undefined>(undefined);

/** Draws again when the language changes. */
export function useText(): Text {
  return useContext(TextContext)?.value ?? english;
}
