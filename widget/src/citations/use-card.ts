import { useRef } from 'preact/hooks';
import type { Parts } from '../panel/parts.ts';
import type { Card } from './card.ts';

/** Listeners for what holds citations; the card's code comes with the first that is pointed at. */
export function useCard(parts: Parts) {
  const card = useRef<Promise<Card> | undefined>(undefined);
  const look = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest('.cite') : null;
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    // Focus that a press brought is on its way to the page.
    const isFocus = event.type === 'focusin';
    if (!link || isTouch || (isFocus && !link.matches(':focus-visible'))) return;
    card.current ??= import('./card.ts').then(({ createCard }) => createCard(parts));
    card.current.then(
      (show) => !parts.signal.aborted && show(link, isFocus),
      () => (card.current = undefined), // Its name and its number stand without it.
    );
  };
  return { onPointerOver: look, onFocusIn: look };
}
