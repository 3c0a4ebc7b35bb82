/** The launcher and the life of the panel: load on intent, open, close, and leave nothing behind. */
import type { DocentWidget } from './api.ts';
import { stayAboveBanners } from './banner.ts';
import { createEmitter } from './emitter.ts';
import type { OpenedBy } from './events.ts';
import { createLauncher } from './launcher.ts';
import type { Load } from './load.ts';
import { watchPage } from './page-hints.ts';
import type { Explain, MountPanel, PageContext, Panel } from './panel-contract.ts';
import { openMark } from './panel-contract.ts';
import { createPlace } from './place.ts';
import { isPathIn, mark, storageName } from './presence.ts';
import { type Data, patchSettings, readSettings } from './settings.ts';
import { isTyping, matchesShortcut } from './shortcut.ts';
import { directionOf, followLanguage, languageOf } from './text/language.ts';
import { followTheme } from './theme.ts';
import { warn } from './warn.ts';
import css from './styles/launcher.css?inline';

export interface Start {
  /** What the owner wrote: the tag's `data-*`, or the options of `createDocent`. */
  data: Data;
  /** The address of the script. */
  src: string;
  /** Loads a file of the build; `place` is where it may put elements while it does. */
  createLoad: (base: string, place: () => Node) => Load;
  script?: HTMLScriptElement;
  onDestroy?: () => void;
}

export interface StartedWidget {
  widget: DocentWidget;
  /** Its tag ran once more. `false`: that tag is for another site, and this widget is gone. */
  again(script: HTMLScriptElement): boolean;
  /** Everything that was called before is done. */
  ready(): void;
}

function wasOpen(site: string): boolean {
  try {
    return sessionStorage.getItem(openMark(site)) === '1';
  } catch {
    return false; // Storage is denied: nothing was kept.
  }
}

/** `undefined` where it cannot start; the owner is told why. */
export function startWidget(start: Start): StartedWidget | undefined {
  const { src, createLoad, onDestroy } = start;
  let { data, script } = start;
  let patches: Data = {};
  let { settings, wrong } = readSettings(data, src);
  const element = document.createElement('docent-widget');
  const shadow = element.attachShadow({ mode: 'open' });
  // Elements load nothing where they are not on the page, and an assistant that is away is not.
  const load = createLoad(settings.base, () =>
    element.isConnected ? shadow : document.documentElement,
  );
  const explain = (written: Data, names: string[], isUpdate?: boolean) => {
    if (!names.length) return;
    load<{ explain: Explain }>('explain').then(
      (loaded) => loaded.explain(written, names, isUpdate),
      () => warn(`wrong: ${names.join()}`),
    );
  };
  explain(data, wrong);
  // Without its filter, answers would use what the owner does not want them to.
  if (!settings.site || !settings.key || wrong.includes('filter')) return undefined;

  const own = storageName(settings);
  const hiddenMark = `docent:${own}:hidden`;
  const sheet = new CSSStyleSheet();
  shadow.adoptedStyleSheets = [sheet];
  // The undo of everything that reaches outside our own element.
  const gone = new AbortController();
  const { signal } = gone;
  const { on, off, emit } = createEmitter();

  let isHiddenHere = mark(hiddenMark);
  let isOpen = false;
  let opener: Element | null = null;
  let panel: Panel | undefined;
  let loading: Promise<Panel | undefined> | undefined;
  let stopTheme: (() => void) | undefined;

  const isAway = () =>
    settings.isHidden || isHiddenHere || isPathIn(settings.hideOn, location.pathname);

  const closed = () => {
    isOpen = false;
    launcher.show('closed');
    emit('close', {});
    // Back to where the reader was: also after the opener has left the page.
    const target = opener?.isConnected && opener !== document.body ? opener : launcher.button;
    (target as HTMLElement).focus({ preventScroll: true });
  };

  /** Loads the panel once; a failure is forgotten so that the next intent tries again. */
  const prepare = (): Promise<Panel | undefined> =>
    (loading ??= load<{ mountPanel: MountPanel }>('panel').then(
      async ({ mountPanel }) => {
        if (signal.aborted) return undefined;
        panel ??= mountPanel({ settings, shadow, onClosed: closed, emit, hide });
        await panel.ready();
        return panel;
      },
      (error: unknown) => {
        loading = undefined;
        warn(`panel not loaded: ${String(error)}`);
        return undefined;
      },
    ));

  const show = (by: OpenedBy, then?: (panel: Panel) => void, takeFocus = true): void => {
    if (isAway()) return;
    const wasClosed = !isOpen;
    if (wasClosed) {
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
      if (wasClosed) emit('open', { by });
      then?.(ready);
    });
  };
  const close = () => {
    if (!isOpen) return;
    if (panel) panel.close();
    else closed();
  };
  // What is always there is gone to, not closed.
  const toggle = (by: OpenedBy) => (isOpen && settings.layout !== 'inline' ? close() : show(by));
  const askAbout = (item: PageContext) =>
    show(item.type === 'code' ? 'code' : 'selection', (ready) => ready.addContext(item));

  const launcher = createLauncher(settings, {
    onIntent: () => void prepare(),
    onOpen: () => toggle('launcher'),
  });
  shadow.append(launcher.button);

  const { place, watch } = createPlace({
    element,
    script: () => script,
    settings: () => settings,
    isAway,
    onAway: close,
    onNear: () => void (isOpen || show('page', undefined, false)),
    signal,
  });

  const apply = () => {
    const { accent, theme, position, layout } = settings;
    // The panel goes by these as well.
    element.lang = languageOf(settings.language);
    element.dir = directionOf(element.lang);
    sheet.replaceSync(css + (accent ? `:host{--docent-accent:${accent}}` : ''));
    Object.assign(element.dataset, { position, layout });
    stopTheme?.();
    stopTheme = followTheme(theme, (now) => (element.dataset['theme'] = now));
    launcher.update(settings);
    panel?.update(settings);
    watch();
    place();
  };
  const hide = () => {
    isHiddenHere = true;
    mark(hiddenMark, true);
    place();
    emit('hide', {});
  };
  /** The owner says that it is there: over what the reader had chosen on this device. */
  const bringBack = () => {
    if (!isHiddenHere) return;
    isHiddenHere = mark(hiddenMark, false);
    place();
  };
  apply();
  followLanguage(apply, signal);

  document.addEventListener(
    'keydown',
    (event) => {
      const isFree = !isTyping(event) || event.composedPath().includes(element);
      if (event.defaultPrevented || !isFree || !matchesShortcut(event, settings.shortcut)) return;
      event.preventDefault();
      bringBack();
      toggle('shortcut');
    },
    { signal },
  );
  watchPage(
    {
      shadow,
      settings: () =>
        isAway() ? { ...settings, offersSelection: false, offersCode: false } : settings,
      signal,
      onAsk: askAbout,
    },
    load,
  );
  stayAboveBanners(element, launcher.button, signal);
  if (settings.layout !== 'inline' && wasOpen(own)) show('page', undefined, false);

  const widget: DocentWidget = {
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
    update(patch) {
      ({ patches, wrong } = patchSettings(data, patches, patch as Data, settings));
      explain(patch as Data, wrong, true);
      ({ settings } = readSettings({ ...data, ...patches }, src));
      if (patch.hidden === false) bringBack();
      if (patch.consent !== undefined && settings.needsConsent) {
        mark(`docent:${own}:consent`, false);
        panel?.withdrawConsent();
      }
      apply();
    },
    reset: () => void prepare().then((ready) => ready?.reset()),
    destroy() {
      gone.abort();
      stopTheme?.();
      panel?.unmount();
      element.remove();
      onDestroy?.();
    },
    on,
    off,
  };
  return {
    widget,
    ready: () => emit('ready', { site: settings.site }),
    again(next) {
      // Twice on one page: the first one counts.
      if (script?.isConnected) return true;
      const other = readSettings(next.dataset, next.src).settings;
      const { base, site, key } = settings;
      if (other.base !== base || other.site !== site || other.key !== key) {
        widget.destroy();
        return false;
      }
      script = next;
      data = next.dataset;
      ({ settings, wrong } = readSettings({ ...data, ...patches }, src));
      explain(data, wrong);
      apply();
      return true;
    },
  };
}
