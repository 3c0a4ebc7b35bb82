/** The texts of a panel, in the language of its page and with the words its owner put in their place. */
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
export { fill } from './fill.ts';
import { contextStrings, menuStrings, panelStrings, problemStrings } from './english.ts';

/** What a panel says: one group for each part of it. Another language has all of the same keys. */
export const english = {
  panel: panelStrings,
  menu: menuStrings,
  context: contextStrings,
  problems: problemStrings,
};

export type Text = typeof english;

export const TextContext = createContext<ReadonlySignal<Text> | undefined>(undefined);

/** Draws again when the language changes. */
export function useText(): Text {
  return useContext(TextContext)?.value ?? english;
}
