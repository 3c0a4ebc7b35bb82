import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Fits the panel above a phone's keyboard, with two CSS lengths. */
export function useVisiblePart(panel: RefObject<HTMLElement | null>, isFull: boolean): void {
  useEffect(() => {
    const view = window.visualViewport;
    const style = panel.current?.style;
    if (!view || !style || !isFull) return undefined;
    const undo = new AbortController();
    const fit = () => {
      // Zooming with two fingers must enlarge the panel.
      if (view.scale > 1.01) return;
      style.setProperty('--visible-height', `${view.height}px`);
      style.setProperty('--visible-top', `${view.offsetTop}px`);
    };
    fit();
    view.addEventListener('resize', fit, { signal: undo.signal });
    view.addEventListener('scroll', fit, { signal: undo.signal });
    return () => {
      undo.abort();
      style.removeProperty('--visible-height');
      style.removeProperty('--visible-top');
    };
  }, [isFull]);
}
