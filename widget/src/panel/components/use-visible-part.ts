import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** Above a phone's keyboard: the part of the page that can be seen, as two CSS lengths. */
export function useVisiblePart(panel: RefObject<HTMLElement | null>, isFull: boolean): void {
  useEffect(() => {
    const view = window.visualViewport;
    const style = panel.current?.style;
    if (!view || !style || !isFull) return undefined;
    const undo = new AbortController();
    const fit = () => {
      // A reader who zooms in with two fingers wants to see the panel larger, not smaller.
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
