/** What an open panel does with the browser's window and with the page. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Settings } from '../../loader/settings.ts';
import { adoptStyles } from '../../styles/adopt-styles.ts';
import { useDeps } from '../deps.ts';

/**
 * Opens the dialog as a modal or beside the page. The browser's modal covers everything and keeps
 * the focus without a change to the page.
 */
export function useDialog(
  panel: RefObject<HTMLDialogElement | null>,
  isOpen: boolean,
  isModal: boolean,
  layout: Settings['layout'],
): void {
  const focused = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const dialog = panel.current;
    if (!dialog || !isOpen || layout === 'inline') return undefined;
    if (isModal) dialog.showModal();
    // `show()` would take the focus, also after a navigation.
    else dialog.setAttribute('open', '');
    // Keep the focus if the window's size changes the mode.
    if (dialog.contains(focused.current)) (focused.current as HTMLElement).focus();
    focused.current = null;
    return () => {
      focused.current = (dialog.getRootNode() as ShadowRoot).activeElement;
      if (dialog.open) dialog.close();
    };
  }, [isOpen, isModal, layout]);
}

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

/** Keeps Tab inside a modal panel. */
const focusable =
  'a[href],button:not(:disabled),textarea,summary,input:not(:disabled),[tabindex]:not([tabindex="-1"])';

export function keepFocusInside(event: KeyboardEvent, within: HTMLElement): void {
  if (event.key !== 'Tab') return;
  const all = [...within.querySelectorAll<HTMLElement>(focusable)];
  const first = all[0];
  const last = all.at(-1);
  const root = within.getRootNode();
  const active = root instanceof ShadowRoot ? root.activeElement : document.activeElement;
  const leaves = event.shiftKey ? active === first || active === within : active === last;
  if (!leaves) return;
  event.preventDefault();
  (event.shiftKey ? last : first)?.focus();
}
