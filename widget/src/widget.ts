/** The launcher and the life of the panel: load on intent, open, close, and leave nothing behind. */
import type { ContextItem } from '@docent/shared/assistant';
import { createLauncher } from './launcher.ts';
import { openMark, type MountPanel, type OfferSelection, type Panel } from './panel-contract.ts';
import type { Settings } from './settings.ts';
import { isTyping, matchesShortcut } from './shortcut.ts';
import { followTheme, textOn } from './theme.ts';
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

export function startWidget(settings: Settings, onDestroy: () => void): Widget {
  const element = document.createElement('docent-widget');
  const shadow = element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  const { accent } = settings;
  sheet.replaceSync(
    css + (accent ? `:host{--docent-accent:${accent};--docent-on-accent:${textOn(accent)}}` : ''),
  );
  shadow.adoptedStyleSheets = [sheet];
  element.dataset['position'] = settings.position;
  // The undo of everything that reaches outside our own element.
  const gone = new AbortController();
  const { signal } = gone;
  const stopTheme = followTheme(settings.theme, (theme) => (element.dataset['theme'] = theme));

  let isOpen = false;
  let opener: Element | null = null;
  let panel: Panel | undefined;
  let loading: Promise<Panel | undefined> | undefined;
  let attempts = 0;
  let stopSelection: (() => void) | undefined;

  // A browser remembers that a module failed to load, so another try needs another address.
  const load = <Module>(file: string): Promise<Module> =>
    import(/* @vite-ignore */ `${settings.base}/widget/${file}${attempts ? `?${attempts}` : ''}`);

  const closed = () => {
    isOpen = false;
    launcher.show('closed');
    const target = opener?.isConnected && opener !== document.body ? opener : launcher.button;
    opener = null;
    if (target instanceof HTMLElement) target.focus({ preventScroll: true });
  };

  /** Loads the panel once; a failure is forgotten so that the next intent tries again. */
  const prepare = (): Promise<Panel | undefined> =>
    (loading ??= load<{ mountPanel: MountPanel }>(__DOCENT_PANEL__).then(
      ({ mountPanel }) => {
        if (signal.aborted) return undefined;
        return (panel ??= mountPanel({ settings, shadow, onClosed: closed }));
      },
      (error: unknown) => {
        loading = undefined;
        attempts++;
        warn(`the panel could not be loaded from ${settings.base}: ${String(error)}`);
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
  const toggle = () => (isOpen ? close() : show());
  const askAbout = (item: ContextItem) => show((ready) => ready.addContext(item));

  const launcher = createLauncher(settings, { onIntent: () => void prepare(), onOpen: toggle });
  shadow.append(launcher.node);
  document.body.append(element);

  document.addEventListener(
    'keydown',
    (event) => {
      if (!settings.shortcut || !matchesShortcut(event, settings.shortcut)) return;
      if (event.defaultPrevented || (isTyping(event) && !event.composedPath().includes(element)))
        return;
      event.preventDefault();
      toggle();
    },
    { signal },
  );
  // The code that offers "Ask about this" comes with the first selection that holds still.
  let timer: ReturnType<typeof setTimeout>;
  const firstSelection = new AbortController();
  document.addEventListener(
    'selectionchange',
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (signal.aborted || getSelection()?.isCollapsed !== false) return;
        firstSelection.abort();
        load<{ offerSelection: OfferSelection }>(__DOCENT_SELECTION__).then(
          ({ offerSelection }) => {
            if (!signal.aborted) stopSelection = offerSelection(shadow, askAbout);
          },
          () => {}, // A page without the offer is whole; the launcher reports if the server is away.
        );
      }, 200);
    },
    { signal: firstSelection.signal },
  );
  if (wasOpen(settings.site)) show(undefined, false);

  return {
    open: () => show(),
    close,
    toggle,
    ask: (question) => show((ready) => ready.ask(question)),
    destroy() {
      gone.abort();
      firstSelection.abort();
      clearTimeout(timer);
      stopSelection?.();
      stopTheme();
      panel?.unmount();
      element.remove();
      onDestroy();
    },
  };
}
