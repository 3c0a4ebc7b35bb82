/** The texts of a panel, in the language of its page and with the words its owner put in their place. */
import type { ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
export { fill } from './fill.ts';
import {
  contextStrings,
  feedbackStrings,
  menuStrings,
  panelStrings,
  privacyStrings,
  problemStrings,
  questionStrings,
  threadsStrings,
} from './english.ts';

/** What a panel says: one group for each part of it. Another language has all of the same keys. */
export const english = {
  panel: panelStrings,
  menu: menuStrings,
  context: contextStrings,
  feedback: feedbackStrings,
  privacy: privacyStrings,
  problems: problemStrings,
  question: questionStrings,
  threads: threadsStrings,
};

export type Text = typeof english;

/** With an owner's words in the place of ours; a key belongs to every group that has it. */
export function withOwn(text: Text, own: Readonly<Record<string, string>> = {}): Text {
  const groups = Object.entries(text).map(([group, strings]) => [
    group,
    Object.fromEntries(
      Object.entries(strings).map(([key, value]) => [
        key,
        Object.hasOwn(own, key) ? own[key] : value,
      ]),
    ),
  ]);
  return Object.fromEntries(groups) as Text;
}

export const TextContext = createContext<ReadonlySignal<Text> | undefined>(undefined);

/** Draws again when the language changes. */
export function useText(): Text {
  return useContext(TextContext)?.value ?? english;
}
