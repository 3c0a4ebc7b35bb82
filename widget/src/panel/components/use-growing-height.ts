import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** A field grows with its text. By script, because a strict style-src forbids the attribute. */
export function useGrowingHeight(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  maxPx: number,
): void {
  useLayoutEffect(() => {
    const node = field.current;
    if (!node) return;
    node.style.height = 'auto';
    node.style.height = `${Math.min(node.scrollHeight, maxPx)}px`;
  }, [text]);
}

/** Enter that completes a word of an input method isn't Enter. Safari reports 229. */
export const isComposing = (event: KeyboardEvent): boolean =>
  event.isComposing || event.keyCode === 229;
