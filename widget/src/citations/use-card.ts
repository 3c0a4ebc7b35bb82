import { useRef } from 'preact/hooks';
import type { PanelDeps } from '../panel/deps.ts';
import type { Card } from './card.ts';

/** Loads the card's code when the reader points at the first citation. */
export function useCard(deps: PanelDeps) {
  const card = useRef<Promise<Card> | undefined>(undefined);
  const onPoint = (event: Event) => {
    const link = event.target instanceof Element ? event.target.closest('.cite') : null;
    const isTouch = event instanceof PointerEvent && event.pointerType === 'touch';
    // A press also focuses the link, but then the reader is about to leave.
    const isFocus = event.type === 'focusin';
    if (!link || isTouch || (isFocus && !link.matches(':focus-visible'))) return;
    card.current ??= import('./card.ts').then(({ createCard }) => createCard(deps));
    card.current.then(
      (show) => !deps.signal.aborted && show(link, isFocus),
      () => (card.current = undefined), // Its name and its number stand without it.
    );
  };
  return { onPointerOver: onPoint, onFocusIn: onPoint };
}
