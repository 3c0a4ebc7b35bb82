/** A widget in use: opens and closes its panel and runs the owner's calls. */
import { patchSettings, readAllSettings, table } from '../embed/all-settings.ts';
import type { Boot } from '../loader/boot.ts';
import { takeQuestion } from './deep-link.ts';
import { createEmitter } from '../embed/emitter.ts';
import type { OpenedBy } from '../embed/events.ts';
import { watchInlinePlace } from './inline-place.ts';
import { mountPanel, type Panel } from './panel.tsx';
import type { DocentWidget } from '../embed/api.ts';
import type { PageContext } from '../page-context/items.ts';
import { isFlagSet, setFlag } from '../loader/flags.ts';
import { basics, type Data } from '../loader/settings.ts';
import { warn } from '../loader/warn.ts';

export interface Widget extends DocentWidget {
  press(by: OpenedBy): void;
  askAbout(item: PageContext): void;
  /** The reader says that an answer spared a message to people. */
  solved(messageId: string): void;
  /** The panel was open on the previous page. */
  resume(): void;
  /** Asks the question in the page's address. See deep-link.ts. */
  askFromLink(): void;
  /** Calls a method by its name. */
  run(verb: string, ...values: unknown[]): void;
  /** Its script tag ran again. `false` if that tag is for another site. */
  again(script: HTMLScriptElement): boolean;
}

type Methods = Record<string, (...values: unknown[]) => void>;

const verbs = 'open, close, toggle, ask, update, reset, destroy, on, off';

/** Safari has no `scheduler`. */
const nextTask = (): Promise<unknown> => {
  const { scheduler } = globalThis as { scheduler?: { yield?: () => Promise<void> } };
  return scheduler?.yield?.() ?? new Promise((resolve) => setTimeout(resolve));
};

export function startWidget(boot: Boot): Widget {
  const { element, shadow, launcher, signal, own, src } = boot;
  const { on, off, emit } = createEmitter();
  let patches: Data = {};
  let isOpen = false;
  /** The owner has got the `open` event. */
  let isShown = false;
  let opener: Element | null = null;
  let panel: Panel | undefined;

  const isInline = () => boot.settings.layout === 'inline';
  /** Reads and applies all settings. Returns the names of the wrong ones. */
  const read = (): string[] => {
    const { settings, wrong } = readAllSettings({ ...boot.data, ...patches }, src);
    boot.settings = settings;
    panel?.update(settings);
    boot.apply();
    return wrong;
  };

  const closed = () => {
    isOpen = false;
    launcher.show('closed');
    if (isShown) emit('close', {});
    isShown = false;
    // Return the focus, also if the opener has left the page.
    const target = opener?.isConnected && opener !== document.body ? opener : launcher.button;
    (target as HTMLElement).focus({ preventScroll: true });
  };

  /** `undefined` if the widget is destroyed in the meantime. */
  const preparePanel = async (): Promise<Panel | undefined> => {
    const isFirst = !panel;
    // Running this file, building the panel, and opening it are a task each, so that the page can
    // react in between.
    if (isFirst) await nextTask();
    if (signal.aborted) return undefined;
    const { settings } = boot;
    const ready = (panel ??= mountPanel({ settings, shadow, onClosed: closed, emit, hide }));
    await ready.ready();
    if (isFirst) await nextTask();
    return ready;
  };

  const show = (by: OpenedBy, then?: (panel: Panel) => void, takeFocus = true): void => {
    if (boot.isAway()) return launcher.show('closed');
    const wasClosed = !isOpen;
    if (wasClosed) {
      isOpen = true;
      opener = document.activeElement === element ? launcher.button : document.activeElement;
      if (!panel) launcher.show('loading');
    }
    void preparePanel().then((ready) => {
      if (!ready || !isOpen || signal.aborted) return;
      launcher.show('open');
      ready.open(takeFocus);
      if (!isShown) emit('open', { by });
      isShown = true;
      then?.(ready);
    });
  };
  const close = () => {
    if (!isOpen) return;
    if (panel) panel.close();
    else closed();
  };
  // An inline panel is always open, so focus it instead of closing it.
  const toggle = (by: OpenedBy) => (isOpen && !isInline() ? close() : show(by));

  const hide = () => {
    boot.isHidden = true;
    setFlag(own, 'hidden', true);
    boot.place();
    emit('hide', {});
  };
  /** The owner, or the reader by the shortcut, shows a hidden assistant again. */
  const bringBack = () => {
    if (!boot.isHidden) return;
    boot.isHidden = false;
    setFlag(own, 'hidden', false);
    boot.place();
  };

  // The browser restored this page after the reader was on others.
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (!persisted) return;
      boot.isHidden = isFlagSet(own, 'hidden');
      boot.place();
      if (isInline()) return;
      if (isFlagSet(own, 'open')) show('page', undefined, false);
      else if (panel?.hasConversation()) close();
    },
    { signal },
  );
  boot.placeInline = watchInlinePlace(boot, () => {
    if (!isOpen) show('page', undefined, false);
  });
  // The loader has explained its own settings.
  const wrong = read().filter((name) => !(name in basics));
  const unknown = Object.keys(boot.data).filter((name) => !(name in table) && name !== 'url');
  boot.explain(boot.data, [...wrong, ...unknown]);
  void preparePanel();

  const widget: Widget = {
    run(verb, ...values) {
      if (Object.hasOwn(widget, verb)) (widget as unknown as Methods)[verb]?.(...values);
      else warn(`Docent('${verb}'): write one of ${verbs}.`);
    },
    press(by) {
      if (by === 'shortcut') bringBack();
      toggle(by);
    },
    askAbout: (item) =>
      show(item.type === 'code' ? 'code' : 'selection', (ready) => ready.addContext(item)),
    solved: (messageId) => panel?.solved(messageId),
    resume() {
      if (!isInline()) show('page', undefined, false);
    },
    askFromLink() {
      const { deepLink } = boot.settings;
      const question = deepLink === 'off' ? '' : takeQuestion();
      if (question) show('link', (ready) => ready.ask(question, deepLink === 'send'));
    },
    again(script) {
      const { site, key } = script.dataset;
      if (script.src !== src || site !== boot.data['site'] || key !== boot.data['key'])
        return false;
      Object.assign(boot, { script, data: script.dataset });
      boot.explain(boot.data, read());
      return true;
    },
    open() {
      bringBack();
      show('api');
    },
    close,
    toggle() {
      bringBack();
      toggle('api');
    },
    ask(question, { send = true } = {}) {
      bringBack();
      show('api', (ready) => ready.ask(String(question ?? ''), send));
    },
    update(given) {
      // The owner may pass nothing, or something else than an object.
      const patch = { ...given };
      const { patches: next, wrong } = patchSettings(boot.data, patches, patch as Data, src);
      boot.explain(patch as Data, wrong, true);
      patches = next;
      if (patch.hidden === false) bringBack();
      if (patch.consent === 'required' || patch.consent === false) {
        setFlag(own, 'consent', false);
        panel?.withdrawConsent();
      }
      read();
    },
    reset: () => void preparePanel().then((ready) => ready?.reset()),
    destroy() {
      // Another tag on this page starts fresh.
      setFlag(own, 'open', false, 'sessionStorage');
      panel?.unmount();
      boot.destroy();
    },
    on,
    off,
  };
  return widget;
}
