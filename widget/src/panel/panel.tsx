/** Connects the parts of the panel, and removes them. */
import { computed, effect, signal } from '@preact/signals';
import { createRef, render } from 'preact';
import { watchBackGesture } from './back-gesture.ts';
import { PanelView } from './components/panel-view.tsx';
import { type PageContext, withItem } from '../page-context/items.ts';
import { createConsent } from './consent.ts';
import type { Emit } from '../embed/events.ts';
import type { Settings } from '../loader/settings.ts';
import { type PanelDeps, DepsContext, type View } from './deps.ts';
import { createDeletions } from '../conversations/deletions.ts';
import { warmUp } from '../markdown/warm-up.ts';
import { storageName } from '../loader/flags.ts';
import { createService } from '../chat/service.ts';
import { createSession } from '../conversations/session.ts';
import { loadSite, type SiteInfo } from './site.ts';
import { createStorage } from '../conversations/storage.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';
import { panelCss } from '../styles/panel-css.ts';
import { sendLater } from './use-feedback.ts';
import { emitEvents } from './emit-events.ts';
import { createText, TextContext } from '../text/text.ts';

interface PanelHost {
  settings: Settings;
  shadow: ShadowRoot;
  onClosed: () => void;
  emit: Emit;
  /** Hides the assistant on this device. */
  hide: () => void;
}

export type Panel = ReturnType<typeof mountPanel>;

export function mountPanel({ settings: given, shadow, onClosed, emit, hide }: PanelHost) {
  const settings = signal(given);
  const consent = createConsent(settings, storageName(given));
  const service = createService(settings, consent.isGiven);
  const storage = createStorage(storageName(given));
  const session = createSession({ settings, service, storage, isAllowed: consent.isGiven });
  const isOpen = signal(false);
  const site = signal<SiteInfo | undefined>(undefined);
  const view = signal<View>('conversation');
  const draft = signal('');
  const context = signal<PageContext[]>([]);
  const isContextFull = signal(false);
  const field = createRef<HTMLTextAreaElement>();
  const announcement = signal('');
  const gone = new AbortController();
  const deletions = createDeletions(service, storage, gone.signal);

  // The same query as in styles/layouts.css.
  const phone = matchMedia('(max-width: 640px), (max-height: 480px)');
  const isPhone = signal(phone.matches);
  phone.addEventListener('change', () => (isPhone.value = phone.matches), { signal: gone.signal });
  const isFull = computed(() => isPhone.value && settings.value.layout !== 'inline');
  const isModal = computed(() => isFull.value || settings.value.layout === 'modal');

  const removeStyles = adoptStyles(shadow, panelCss);
  const container = document.createElement('div');
  shadow.append(container);

  // The next page opens the panel again, unless the panel would cover it. Store nothing before the
  // first question, and keep the last page's mark until the panel opens: readers may leave earlier.
  const watch = (work: () => void) => gone.signal.addEventListener('abort', effect(work));
  let wasOpened = false;
  watch(() => {
    wasOpened ||= isOpen.value;
    if (wasOpened && !session.isEmpty.value) storage.markOpen(isOpen.value && !isModal.value);
  });

  const deps: PanelDeps = {
    shadow,
    signal: gone.signal,
    settings,
    service,
    session,
    deletions,
    consent,
    emit,
    site,
    view,
    draft,
    context,
    isContextFull,
    editing: signal(undefined),
    field,
    isFull,
    isModal,
    isWide: signal(false),
    hide,
    fp: () => storage.needFp(),
    announcement,
    announce: (words) => (announcement.value = words),
    ask(question) {
      const words = question.trim();
      if (!words) return;
      if (session.isBusy.value || !consent.isGiven.value) {
        draft.value = words;
        return;
      }
      emit('question', { threadId: session.threadId(), context: context.value.length });
      session.ask(words, context.value);
      draft.value = '';
      context.value = [];
      view.value = 'conversation';
      field.current?.focus();
    },
    startNew() {
      session.clear();
      context.value = [];
      view.value = 'conversation';
    },
    toConversation() {
      view.value = 'conversation';
      // After the conversation is drawn.
      setTimeout(() => field.current?.focus());
    },
    close() {
      if (settings.value.layout === 'inline') return;
      isOpen.value = false;
      // Close it now: while a modal is open, nothing else can take the focus.
      const dialog = container.querySelector('dialog');
      if (dialog?.open) dialog.close();
      onClosed();
    },
  };

  const back = watchBackGesture(
    computed(() => isOpen.value && isFull.value),
    deps.close,
  );

  const texts = createText(shadow.host as HTMLElement, settings, gone.signal);
  render(
    <TextContext.Provider value={texts.text}>
      <DepsContext.Provider value={deps}>
        <PanelView isOpen={isOpen} afterBack={(next) => back.afterBack(next)} />
      </DepsContext.Provider>
    </TextContext.Provider>,
    container,
  );

  emitEvents(session, emit, watch);
  let isWarmedUp = false;
  watch(() => {
    if (isWarmedUp || !isOpen.value) return;
    isWarmedUp = true;
    warmUp(gone.signal);
  });
  let isSiteAsked = false;
  watch(() => {
    if (isSiteAsked || !isOpen.value || !consent.isGiven.value) return;
    isSiteAsked = true;
    void loadSite(service, gone.signal).then((info) => (site.value = info));
  });
  return {
    ready: texts.ready,
    /** Doesn't take the focus after a navigation. */
    open(takeFocus: boolean) {
      isOpen.value = true;
      // After the update: hidden elements can't take the focus.
      if (takeFocus) {
        const preventScroll = settings.value.layout !== 'inline';
        queueMicrotask(() => field.current?.focus({ preventScroll }));
      }
    },
    close: deps.close,
    /** Without `send`, only fills the field. */
    ask(question: string, send: boolean) {
      if (send) deps.ask(question);
      else draft.value = question;
    },
    /** The answer spared a message to people. */
    solved(id: string) {
      session.setFeedback(id, { rating: 'up', reasons: ['no_ticket'], isWaiting: true });
      sendLater(id, deps);
      emit('feedback', { messageId: id, rating: 'up' });
    },
    addContext(item: PageContext) {
      const items = withItem(context.value, item);
      if (items) context.value = items;
      isContextFull.value = !items;
    },
    update: (next: Settings) => (settings.value = next),
    withdrawConsent: () => consent.set(false),
    hasConversation: () => !session.isEmpty.peek(),
    reset: deps.startNew,
    unmount() {
      back.stop();
      gone.abort();
      session.dispose();
      render(null, container);
      container.remove();
      removeStyles();
    },
  };
}
