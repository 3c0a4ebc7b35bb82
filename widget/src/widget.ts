/** The launcher and the life of the panel: load on intent, open, close, and leave nothing behind. */
import { createLauncher } from './launcher.ts';
import { createLoad } from './load.ts';
import { watchPage } from './page-hints.ts';
import { openMark, type MountPanel, type Panel } from './panel-contract.ts';
import { placeWidget } from './place.ts';
import type { Settings } from './settings.ts';
import { isTyping, matchesShortcut } from './shortcut.ts';
import { followTheme } from './theme.ts';
import { warn } from './warn.ts';
import css from './styles/launcher.css?inline';

export interface Widget {
  open(): void;
  close(): void;
  toggle(): void;
  ask(question: string): void;
  destroy(): void;
}

function wasOpen(site: string): boolean {
  try {
    return sessionStorage.getItem(openMark(site)) === '1';
  } catch {
    return false; // Storage is denied: nothing was kept.
  }
}

export function startWidget(settings: Settings, onDestroy: () => void, tag?: HTMLElement): Widget {
  const element = document.createElement('docent-widget');
  const shadow = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const { accent } = settings;
  sheet.replaceSync(css + (accent ? `:host{--docent-accent:${accent}}` : ''));
  shadow.adoptedStyleSheets = [sheet];
  element.dataset['position'] = settings.position;
  element.dataset['layout'] = settings.layout;
  const isInline = settings.layout === 'inline';
  const load = createLoad(settings.base, shadow);
  // The undo of everything that reaches outside our own element.
  const gone = new AbortController();
  const { signal } = gone;
  const stopTheme = followTheme(settings.theme, (theme) => (element.dataset['theme'] = theme));

  let isOpen = false;
  let opener: Element | null = null;
  let panel: Panel | undefined;
  let loading: Promise<Panel | undefined> | undefined;

  const closed = () => {
    isOpen = false;
    launcher.show('closed');
    // Back to where the reader was: also after the opener has left the page.
    const target = opener?.isConnected && opener !== document.body ? opener : launcher.button;
    (target as HTMLElement).focus({ preventScroll: true });
  };

  /** Loads the panel once; a failure is forgotten so that the next intent tries again. */
  const prepare = (): Promise<Panel | undefined> =>
    (loading ??= load<{ mountPanel: MountPanel }>('panel').then(
      ({ mountPanel }) => {
        if (signal.aborted) return undefined;
        return (panel ??= mountPanel({ settings, shadow, onClosed: closed, emit: () => {} }));
      },
      (error: unknown) => {
        loading = undefined;
        warn(`panel not loaded: ${String(error)}`);
        return undefined;
      },
    ));

  const show = (then?: (panel: Panel) => void, takeFocus = true): void => {
    if (!isOpen) {
      isOpen = true;
      opener = document.activeElement === element ? launcher.button : document.activeElement;
      if (!panel) launcher.show('loading');
    }
    void prepare().then((ready) => {
      if (!isOpen || signal.aborted) return;
      if (!ready) {
        isOpen = false;
        return launcher.show('failed');
      }
      launcher.show('open');
      ready.open(takeFocus);
      then?.(ready);
    });
  };
  const close = () => {
    if (!isOpen) return;
    if (panel) panel.close();
    else closed();
  };
  // What is always there is gone to, not closed.
  const toggle = () => (isOpen && !isInline ? close() : show());

  const launcher = createLauncher(settings, { onIntent: () => void prepare(), onOpen: toggle });
  shadow.append(launcher.button);

  document.addEventListener(
    'keydown',
    (event) => {
      const isFree = !isTyping(event) || event.composedPath().includes(element);
      if (event.defaultPrevented || !isFree || !matchesShortcut(event, settings.shortcut)) return;
      event.preventDefault();
      toggle();
    },
    { signal },
  );
  watchPage(
    {
      shadow,
      settings: () => settings,
      signal,
      onAsk: (item) => show((ready) => ready.addContext(item)),
    },
    load,
  );
  placeWidget(element, settings, tag, signal, () => show(undefined, false));
  if (!isInline && wasOpen(settings.site)) show(undefined, false);

  return {
    open: () => show(),
    close,
    toggle,
    ask: (question) => show((ready) => ready.ask(question)),
    destroy() {
      gone.abort();
      stopTheme();
      panel?.unmount();
      element.remove();
      onDestroy();
    },
  };
}
