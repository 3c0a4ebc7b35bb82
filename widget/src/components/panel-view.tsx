import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ContextItem } from '@docent/shared/assistant';
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { keepFocusInside } from '../focus.ts';
import { isSameSite } from '../markdown/safe-url.ts';
import type { Session } from '../session.ts';
import type { SiteInfo } from '../site.ts';
import { panelStrings as text } from '../strings.ts';
import { Announcer } from './announcer.tsx';
import { Composer } from './composer.tsx';
import { Conversation } from './conversation.tsx';
import { IconButton } from './icon-button.tsx';
import { CloseIcon, NewIcon } from './icons.tsx';

export interface PanelViewProps {
  session: Session;
  title: string;
  isOpen: ReadonlySignal<boolean>;
  /** The panel covers the page, as on a phone. */
  isFull: ReadonlySignal<boolean>;
  site: ReadonlySignal<SiteInfo | undefined>;
  draft: Signal<string>;
  context: Signal<ContextItem[]>;
  field: RefObject<HTMLTextAreaElement | null>;
  onAsk: (question: string) => void;
  onClose: () => void;
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

export function PanelView(props: PanelViewProps) {
  const { session, title, isOpen, isFull, site, draft, context, field, onAsk, onClose } = props;
  const panel = useRef<HTMLElement>(null);
  useVisiblePart(panel);
  const isFullNow = isFull.value;
  const isEmpty = session.isEmpty.value;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !event.isComposing) {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    } else if (isFullNow && panel.current) keepFocusInside(event, panel.current);
  };
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    // On a phone the panel would cover the section that the link leads to.
    if (link && isFullNow && isSameSite(link.href)) onClose();
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
      <div class="header">
        <h2 id="docent-title" class="title">
          {title}
        </h2>
        <IconButton
          testId="docent-new"
          name={text.newConversation}
          disabled={isEmpty}
          onClick={() => {
            session.clear();
            context.value = [];
            field.current?.focus();
          }}
        >
          <NewIcon />
        </IconButton>
        <IconButton testId="docent-close" name={text.close} onClick={onClose}>
          <CloseIcon />
        </IconButton>
      </div>
      <Conversation session={session} site={site.value} onAsk={onAsk} />
      <Composer
        session={session}
        draft={draft}
        context={context}
        field={field}
        onSend={() => onAsk(draft.value)}
      />
      <Announcer session={session} />
    </section>
  );
}
