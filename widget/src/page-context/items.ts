/** The pieces of a page that belong to a question, and their limits. */
import type { ContextItem } from '@docent/shared/assistant';
import { promises } from '@docent/shared/promises';

/** A piece of the page that a reader asks about; the service gets only the fields of `ContextItem`. */
export type PageContext = ContextItem & {
  heading?: string | undefined;
  /** Only its beginning goes along. */
  isCut?: boolean;
};

/** The service accepts 20 pieces of 20,000 characters, and so many in all. */
export const contextLimits = {
  items: 10,
  characters: 8000,
  total: promises.contextMaxCharacters,
} as const;

/** Cuts a text without splitting a surrogate pair. */
export const cut = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** Adds an item. `undefined` if there is no room. */
export function withItem(
  items: readonly PageContext[],
  item: PageContext,
): PageContext[] | undefined {
  const piece = cut(item.value, contextLimits.characters);
  const others = items.filter((other) => other.value !== piece);
  const room = contextLimits.total - lengthOf([...others, { ...item, value: '' }]);
  if (others.length >= contextLimits.items || room <= 0) return undefined;
  const value = cut(piece, room);
  const isCut = value.length < item.value.length;
  return [...others, { ...item, value, ...(isCut ? { isCut } : {}) }];
}

/** As the service counts. */
const lengthOf = (items: readonly PageContext[]): number =>
  items.reduce((sum, { value, path = '' }) => sum + value.length + path.length, 0);
