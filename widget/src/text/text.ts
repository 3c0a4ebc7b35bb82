/** The texts of a panel, in the language of its page and with the words its owner put in their place. */
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { panelStrings, problemStrings } from './english.ts';

/** What a panel says: one group for each part of it. Another language has all of the same keys. */
export const english = { panel: panelStrings, problems: problemStrings };

export type Text = typeof english;

export const TextContext = createContext<ReadonlySignal<Text> | undefined>(undefined);

/** Draws again when the language changes. */
export function useText(): Text {
  return useContext(TextContext)?.value ?? english;
}

/** Puts values in the places of a text: `fill('Ask about {name}', { name })`. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
