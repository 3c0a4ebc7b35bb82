/** The panel, loaded when a reader is about to want it: puts the pieces together and takes them out. */
import type { ContextItem } from '@docent/shared/assistant';
import { effect, signal } from '@preact/signals';
import { createRef, render } from 'preact';
import { PanelView } from './components/panel-view.tsx';
import type { MountPanel } from './panel-contract.ts';
import { createSession } from './session.ts';
import { loadSite, type SiteInfo } from './site.ts';
import { createStorage } from './storage.ts';
import { panelStrings } from './strings.ts';
import { panelCss } from './styles.ts';

const mostContext = 10;

export const mountPanel: MountPanel = ({ settings, shadow, onClosed }) => {
  const storage = createStorage(settings.site);
  const session = createSession(settings, storage);
  const isOpen = signal(false);
  const site = signal<SiteInfo | undefined>(undefined);
  const draft = signal('');
  const context = signal<ContextItem[]>([]);
  const field = createRef<HTMLTextAreaElement>();
  const gone = new AbortController();

  const phone = matchMedia('(max-width: 640px)');
  const isFull = signal(phone.matches);
  phone.addEventListener('change', () => (isFull.value = phone.matches), { signal: gone.signal });

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(panelCss);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
  const place = document.createElement('div');
  shadow.append(place);

  // Following a link of an answer keeps the panel open. Nothing is kept before the first question.
  // A phone is shown the page it went to instead.
  const stopMarking = effect(() => {
    if (!session.isEmpty.value) storage.markOpen(isOpen.value && !isFull.value);
  });

  const ask = (question: string) => {
    const words = question.trim();
    if (!words) return;
    if (session.isBusy.value) {
      draft.value = words;
      return;
    }
    session.ask(words, context.value);
    draft.value = '';
    context.value = [];
    field.current?.focus();
  };
  const close = () => {
    isOpen.value = false;
    onClosed();
  };

  const view = (
    <PanelView
      session={session}
      title={settings.title ?? panelStrings.title}
      isOpen={isOpen}
      isFull={isFull}
      site={site}
      draft={draft}
      context={context}
      field={field}
      onAsk={ask}
      onClose={close}
    />
  );
  render(view, place);

  let isSiteAsked = false;
  const open = (takeFocus: boolean) => {
    isOpen.value = true;
    if (!isSiteAsked) {
      isSiteAsked = true;
      void loadSite(settings, gone.signal).then((info) => (site.value = info));
    }
    // After this update is on the screen: what is hidden cannot take the focus.
    if (takeFocus) queueMicrotask(() => field.current?.focus({ preventScroll: true }));
  };

  return {
    open,
    close,
    ask,
    addContext(item) {
      const others = context.value.filter(({ value }) => value !== item.value);
      context.value = [...others, item].slice(-mostContext);
    },
    unmount() {
      stopMarking();
      gone.abort();
      session.dispose();
      render(null, place);
      place.remove();
      shadow.adoptedStyleSheets = shadow.adoptedStyleSheets.filter((one) => one !== sheet);
    },
  };
};
