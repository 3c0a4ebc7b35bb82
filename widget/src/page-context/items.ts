/** The pieces of a page that go along with a question, and how much of them. */
import type { ContextItem } from '@docent/shared/assistant';

/** A piece of the page that a reader asks about; the service gets only the fields of `ContextItem`. */
export type PageContext = ContextItem & {
  heading?: string | undefined;
  /** Only its beginning goes along. */
  isCut?: boolean;
};

/** Well inside of what the service takes: 20 pieces of 20,000 characters, 1 MiB in all. */
export const contextLimits = { items: 10, characters: 8000 } as const;

/** The beginning of a text, without half of a character at its end. */
export const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** With one more. `undefined`: there is no room, and what is there is the reader's to choose from. */
export function withItem(
  items: readonly PageContext[],
  item: PageContext,
): PageContext[] | undefined {
  const value = cut(item.value, contextLimits.characters);
  const isCut = value.length < item.value.length;
  const others = items.filter((other) => other.value !== value);
  if (others.length >= contextLimits.items) return undefined;
  return [...others, { ...item, value, ...(isCut ? { isCut } : {}) }];
}
