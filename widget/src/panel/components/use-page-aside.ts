import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { adoptStyles } from '../../styles/adopt-styles.ts';
import { useDeps } from '../deps.ts';

/** On a narrower page, the sidebar covers the page instead. */
const minWidthPx = 1024;

/**
 * What an open panel does to the page: a modal stops its scrolling, and a sidebar may move it
 * aside.
 */
export function usePageAside(panel: RefObject<HTMLElement | null>, isOpen: boolean): void {
  const { settings, isModal, isFull, isWide } = useDeps();
  const { layout, push, position } = settings.value;
  const isHeld = isOpen && isModal.value;
  useLayoutEffect(() => {
    if (!isHeld) return undefined;
    const hasScrollbar = innerWidth > document.documentElement.clientWidth;
    // Without its scrollbar, the page would move.
    return adoptStyles(
      document,
      `@media screen{html{overflow:hidden!important${hasScrollbar ? ';scrollbar-gutter:stable!important' : ''}}}`,
    );
  }, [isHeld]);

  const isAside = isOpen && push && layout === 'sidebar' && !isFull.value;
  useLayoutEffect(() => {
    const width = panel.current?.offsetWidth;
    if (!isAside || !width) return undefined;
    const side = position === 'left' ? 'start' : 'end';
    return adoptStyles(
      document,
      `@media screen and (min-width:${minWidthPx}px){html{--docent-pushed:${width}px;margin-inline-${side}:${width}px!important}}`,
    );
  }, [isAside, position, isWide.value]);
}
