import type { ReadonlySignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { keepFocusInside } from '../focus.ts';
import { isSameSite } from '../markdown/safe-url.ts';
import { useParts } from '../parts.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Header } from './header.tsx';

export interface PanelViewProps {
  isOpen: ReadonlySignal<boolean>;
  /** The panel covers the page, as on a phone. */
  isFull: ReadonlySignal<boolean>;
}

/** Above a phone's keyboard: the part of the page that can be seen, as two CSS lengths. */
function useVisiblePart(panel: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const view = window.visualViewport;
    if (!view) return undefined;
    const fit = () => {
      const { style } = panel.current ?? {};
      style?.setProperty('--visible-height', `${view.height}px`);
      style?.setProperty('--visible-top', `${view.offsetTop}px`);
    };
    fit();
    view.addEventListener('resize', fit);
    view.addEventListener('scroll', fit);
    return () => {
      view.removeEventListener('resize', fit);
      view.removeEventListener('scroll', fit);
    };
  }, []);
}

export function PanelView({ isOpen, isFull }: PanelViewProps) {
  const { close } = useParts();
  const panel = useRef<HTMLElement>(null);
  useVisiblePart(panel);
  const isFullNow = isFull.value;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (isFullNow && panel.current) keepFocusInside(event, panel.current);
  };
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    // On a phone the panel would cover the section that the link leads to.
    if (link && isFullNow && isSameSite(link.href)) close();
  };
  return (
    <section
      ref={panel}
      class="panel"
      role="dialog"
      aria-modal={isFullNow}
      aria-labelledby="docent-title"
      data-testid="docent-panel"
      hidden={!isOpen.value}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      <Header />
      <Conversation />
      <Composer />
      <Announcer />
    </section>
  );
}
