import type { ReadonlySignal } from '@preact/signals';
import type { TargetedEvent } from 'preact';
import { useRef } from 'preact/hooks';
import { isSameSite } from '../../markdown/safe-url.ts';
import { useDeps } from '../deps.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { Header } from './header.tsx';
import { createLazy } from './lazy.tsx';
import { keepFocusInside, useDialog, usePageAside, useVisiblePart } from './use-window.ts';

const Threads = createLazy('Threads', () => import('./threads.tsx'));
const HideView = createLazy('HideView', () => import('./hide-view.tsx'));
const ConsentView = createLazy('ConsentView', () => import('./consent-view.tsx'));
const PageReport = createLazy('PageReport', () => import('./page-report.tsx'));
const PersonView = createLazy('PersonView', () => import('./person-view.tsx'));

export interface PanelViewProps {
  isOpen: ReadonlySignal<boolean>;
  afterBack: (next: () => void) => boolean;
}

export function PanelView({ isOpen, afterBack }: PanelViewProps) {
  const { consent, settings, isModal, isFull, isWide, view, close } = useDeps();
  const panel = useRef<HTMLElement & HTMLDialogElement>(null);
  const { layout } = settings.value;
  const isInline = layout === 'inline';
  const isOpenNow = isOpen.value || isInline;
  const isModalNow = isModal.value;
  useDialog(panel, isOpenNow, isModalNow, layout);
  useVisiblePart(panel, isFull.value);
  usePageAside(panel, isOpenNow);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing && !isInline) {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (isModalNow && panel.current) keepFocusInside(event, panel.current);
  };
  const onClick = (event: MouseEvent) => {
    if (!isModalNow || !isOpen.value) return;
    // A click on the backdrop has the dialog as its target.
    if (event.target === panel.current) return close();
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const isElsewhere = event.ctrlKey || event.metaKey || event.shiftKey;
    if (!link || isElsewhere || !isSameSite(link.href)) return;
    // The panel would cover the target of the link.
    close();
    // The browser drops one of two simultaneous moves through the history.
    if (afterBack(() => link.click())) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  const content = (
    <>
      <Header />
      {!consent.isGiven.value ? (
        <ConsentView />
      ) : view.value === 'hide' ? (
        <HideView />
      ) : view.value === 'threads' ? (
        <Threads />
      ) : view.value === 'person' ? (
        <PersonView />
      ) : view.value === 'report' ? (
        <PageReport />
      ) : (
        <>
          <Conversation />
          <Composer />
        </>
      )}
      <Announcer />
    </>
  );
  const shared = {
    ref: panel,
    class: 'panel',
    part: 'panel',
    'aria-labelledby': 'docent-title',
    'data-testid': 'docent-panel',
    'data-size': isWide.value ? 'large' : undefined,
    onKeyDown,
    // Before the page's handlers follow the link.
    onClickCapture: onClick,
  };
  if (isInline) return <section {...shared}>{content}</section>;
  return (
    <dialog
      {...shared}
      // A press on text keeps the keyboard, and Escape, in the panel.
      tabIndex={-1}
      aria-modal={isModalNow}
      hidden={!isOpenNow}
      onCancel={(event: TargetedEvent<HTMLDialogElement>) => {
        // Android's back gesture, if there is no history entry.
        event.preventDefault();
        close();
      }}
    >
      {content}
    </dialog>
  );
}
