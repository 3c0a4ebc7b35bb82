/**
 * A widget before its first use: shows the launcher and waits. On first use, widget.ts takes over.
 */
/* oxlint-disable typescript/restrict-template-expressions -- every page loads this file: `${x}` is shorter than String(x). */
import { stayAboveBanners } from './banner.ts';
import { createLauncher } from './launcher.ts';
import { createLoad, type Load } from './load.ts';
import { watchPage } from './page-hints.ts';
import type * as Explain from '../embed/explain.ts';
import type * as Panel from '../panel/widget.ts';
import { isFlagSet, isPathIn, storageName } from './flags.ts';
import { type Data, readSettings, type Settings } from './settings.ts';
import { isTyping, matchesShortcut } from './shortcut.ts';
import { directionOf, languageOf } from '../text/language.ts';
import { pageTheme } from './theme.ts';
import { warn } from './warn.ts';
import css from '../styles/launcher.css?inline';

export interface Start {
  /** The tag's `data-*`, or the options of `createDocent`. */
  data: Data;
  /** The address of the script. */
  src: string;
  script?: HTMLScriptElement;
  onDestroy?: () => void;
}

/** The state that widget.ts takes over. It updates `data`, `settings`, and `script`. */
export interface Boot {
  readonly element: HTMLElement;
  readonly shadow: ShadowRoot;
  readonly launcher: ReturnType<typeof createLauncher>;
  readonly load: Load;
  /** Fires when the widget is destroyed. Nothing of it may stay behind. */
  readonly signal: AbortSignal;
  /** Its prefix in browser storage. */
  readonly own: string;
  readonly src: string;
  data: Data;
  settings: Settings;
  script: HTMLScriptElement | undefined;
  /** By the reader, on this device. */
  isHidden: boolean;
  isAway(): boolean;
  placeInline?: () => void;
  /** Applies the settings. */
  apply(): void;
  place(): void;
  explain(written: Data, names: readonly string[], isUpdate?: boolean): void;
  /** Calls a method of the widget, and loads the widget if necessary. */
  run(verb: string, ...values: unknown[]): void;
  again(script: HTMLScriptElement): boolean;
  destroy(): void;
}

/** `undefined` if it can't start. The console says why. */
export function bootWidget(start: Start): Boot | undefined {
  const { src, data } = start;
  const { settings, wrong } = readSettings(data, src);
  const element = document.createElement('docent-widget');
  const shadow = element.attachShadow({ mode: 'open' });
  // Elements load nothing outside the page, and a hidden assistant is outside.
  const html = document.documentElement;
  const load = createLoad(settings.base, () => (element.isConnected ? shadow : html));
  const explain: Boot['explain'] = (written, names, isUpdate) => {
    if (!names.length) return;
    load<typeof Explain>('explain').then(
      (file) => file.explain(written, names, isUpdate),
      () => warn(`wrong: ${names}`),
    );
  };
  explain(data, wrong);
  // Without its filter, answers could use pages that the owner excludes.
  if (/site|key|filter/.test(`${wrong}`)) return undefined;

  const own = storageName(settings);
  const sheet = new CSSStyleSheet();
  shadow.adoptedStyleSheets = [sheet];
  const gone = new AbortController();
  const { signal } = gone;
  let widget: Panel.Widget | undefined;
  let loading: Promise<void> | undefined;
  let calls: Call[] = [];
  let preview: Data = {};

  const language = () => languageOf(boot.settings.language);
  const system = matchMedia('(prefers-color-scheme: dark)');
  let hadDarkClass = false;
  const drawTheme = () => {
    hadDarkClass ||= html.classList.contains('dark');
    const { theme } = boot.settings;
    const now = theme === 'auto' ? pageTheme(html, hadDarkClass, system.matches) : theme;
    // Setting it again would trigger our own observer.
    if (element.dataset['theme'] !== now) element.dataset['theme'] = now;
  };
  const begin = () => {
    loading ??= load<typeof Panel>('panel').then(
      ({ startWidget }) => {
        if (signal.aborted) return;
        widget = startWidget(boot);
        for (const call of calls) boot.run(...call);
      },
      (error: unknown) => {
        // Keep the owner's setup calls. The reader can press again.
        loading = undefined;
        calls = calls.filter(([verb]) => patient.test(verb));
        boot.launcher.show('failed');
        warn(`not loaded: ${error}`);
      },
    );
  };
  const want = (...call: Call) => {
    if (!widget) boot.launcher.show('loading');
    boot.run(...call);
  };

  const boot: Boot = {
    element,
    shadow,
    load,
    signal,
    own,
    src,
    data,
    settings,
    script: start.script,
    launcher: createLauncher(
      () => boot.settings,
      begin,
      () => want('press', 'launcher'),
    ),
    isHidden: isFlagSet(own, 'hidden'),
    isAway: () => boot.settings.hidden || boot.isHidden || isPathIn(boot.settings.hideOn, location),
    apply() {
      const { accent, position, layout } = boot.settings;
      sheet.replaceSync(css + (accent ? `:host{--docent-accent:${accent}}` : ''));
      Object.assign(element.dataset, { position, layout });
      // The panel uses these, too.
      element.lang = language();
      element.dir = directionOf(element.lang);
      drawTheme();
      boot.launcher.show();
      boot.place();
      if (layout === 'inline') begin();
    },
    // Beside the body, because routers such as Turbo's and Astro's replace the body and cache it.
    place() {
      if (boot.isAway()) {
        widget?.close();
        element.remove();
      } else if (boot.settings.layout === 'inline') boot.placeInline?.();
      else if (element.parentNode !== html && document.body) html.append(element);
    },
    explain,
    run(...call) {
      const [verb, first, handler] = call;
      if (verb === 'on' && first === 'ready') {
        (handler as (event: unknown) => void)({ site: boot.settings.site });
      } else if (widget) widget.run(...call);
      else if (verb === 'destroy') boot.destroy();
      else {
        calls.push(call);
        if (verb === 'update') {
          // Apply the visible settings now. The rest, and error messages, come with the panel.
          const strings = (first as Partial<Settings> | undefined)?.strings;
          const all = strings && { strings: { ...boot.settings.strings, ...strings } };
          preview = { ...preview, ...(first as Data), ...all };
          boot.settings = readSettings({ ...boot.data, ...preview }, src).settings;
          boot.apply();
        }
        if (!patient.test(verb) || (boot.isHidden && preview['hidden'] === false)) begin();
      }
    },
    again(script) {
      // The first of two equal tags counts.
      if (boot.script?.isConnected) return true;
      // `document.open` removes all listeners.
      if (html.isConnected && widget?.again(script)) return true;
      boot.destroy();
      return false;
    },
    destroy() {
      gone.abort();
      observer.disconnect();
      cancelAnimationFrame(frame);
      element.remove();
      start.onDestroy?.();
    },
  };
  shadow.append(boot.launcher.button);

  let frame = 0;
  const raise = stayAboveBanners(element, boot.launcher.button);
  // In the next frame: a page that keeps removing our element would otherwise cause an endless
  // loop.
  const look = (asksTheme: unknown) => {
    if (asksTheme) drawTheme();
    raise();
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      boot.place();
      if (element.lang !== language()) boot.apply();
    });
  };
  // Observe the root, because some sites replace the body.
  const observer = new MutationObserver((changes) => {
    const { body } = document;
    // Pages set their theme at the root, in the head, or at the body.
    look(changes.some(({ target }) => target === body || !body?.contains(target)));
  });
  // `load` of any element: a style sheet has arrived.
  for (const type of ['load', 'resize', 'pointerup', 'transitionend', 'popstate'])
    addEventListener(type, look, { signal, capture: true });
  // Browsers without the Navigation API notice `pushState` by the page's changes.
  system.addEventListener('change', drawTheme, { signal });
  const { navigation } = window as { navigation?: EventTarget };
  navigation?.addEventListener('currententrychange', look, { signal });
  boot.apply();
  // After our own element, or it would draw the theme twice, for which the browser has to style the
  // whole page.
  observer.observe(html, { attributes: true, childList: true, subtree: true });
  raise();

  document.addEventListener(
    'keydown',
    (event) => {
      const isFree = !isTyping(event) || event.composedPath().includes(element);
      if (event.defaultPrevented || !isFree) return;
      if (!matchesShortcut(event, boot.settings.shortcut)) return;
      event.preventDefault();
      want('press', 'shortcut');
    },
    { signal },
  );
  watchPage(
    {
      shadow,
      settings: () => boot.settings,
      signal,
      want,
    },
    own,
    load,
  );
  const resume = () => {
    if (!widget && isFlagSet(own, 'open')) want('resume');
  };
  resume();
  // The browser restored this page, and the reader has opened the panel on another one.
  addEventListener('pageshow', resume, { signal });
  if (data['deepLink'] !== 'off' && /[?&]ask=./.test(location.search)) boot.run('askFromLink');
  return boot;
}

type Call = [verb: string, ...values: unknown[]];

/** Calls that don't load the panel. */
const patient = /^(on|off|update)$/;
