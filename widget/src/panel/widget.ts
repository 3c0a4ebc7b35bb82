/** A widget in use: opens and closes its panel, does what its owner calls, leaves nothing behind. */
import { patchSettings, readAllSettings } from '../embed/all-settings.ts';
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

/** The owner's methods and the loader's. */
export interface Widget extends DocentWidget {
  /** The launcher or the shortcut was pressed. */
  press(by: OpenedBy): void;
  askAbout(item: PageContext): void;
  /** It was open on the page that the reader came from. */
  resume(): void;
  /** The page's address may hold a question: see deep-link.ts. */
  askFromLink(): void;
  /** Calls one of these by its name, as owners do; an unknown one is explained. */
  run(verb: string, ...values: unknown[]): void;
  /** Its tag ran once more. `false`: that tag is for another site. */
  again(script: HTMLScriptElement): boolean;
}

type Methods = Record<string, (...values: unknown[]) => void>;

const verbs = 'open, close, toggle, ask, update, reset, destroy, on, off';

export function startWidget(boot: Boot): Widget {
  const { element, shadow, launcher, signal, own, src } = boot;
  const { on, off, emit } = createEmitter();
  let patches: Data = {};
  let isOpen = false;
  /** Its owner was told. */
  let isShown = false;
  let opener: Element | null = null;
  let panel: Panel | undefined;

  const isInline = () => boot.settings.layout === 'inline';
  /** Reads all settings anew, draws them; gives the names of those that are wrong. */
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
    // Back to where the reader was: also after the opener has left the page.
    const target = opener?.isConnected && opener !== document.body ? opener : launcher.button;
    (target as HTMLElement).focus({ preventScroll: true });
  };

  const prepare = async (): Promise<Panel> => {
    const { settings } = boot;
    const ready = (panel ??= mountPanel({ settings, shadow, onClosed: closed, emit, hide }));
    await ready.ready();
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
    void prepare().then((ready) => {
      if (!isOpen || signal.aborted) return;
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
  /** The owner, or the reader by the shortcut, wants it here after all. */
  const bringBack = () => {
    if (!boot.isHidden) return;
    boot.isHidden = false;
    setFlag(own, 'hidden', false);
    boot.place();
  };

  // The browser kept this page as it was while the reader was on others.
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
  // The loader has told of its own.
  const wrong = read().filter((name) => !(name in basics));
  boot.explain(boot.data, wrong);
  void prepare();

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
      // Whatever it is: nothing, or what is no object, too.
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
    reset: () => void prepare().then((ready) => ready.reset()),
    destroy() {
      // Another tag on this page begins as on a new one.
      setFlag(own, 'open', false, 'sessionStorage');
      panel?.unmount();
      boot.destroy();
    },
    on,
    off,
  };
  return widget;
}
