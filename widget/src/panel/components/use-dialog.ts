import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Settings } from '../../loader/settings.ts';

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
