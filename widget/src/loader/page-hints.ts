/** Loads the code that works on the page at the first sign that a reader needs it. */
import type { Load } from './load.ts';
import type { Settings } from './settings.ts';
import { isFlagSet } from './flags.ts';

/** The widget, as seen by code that works on the page itself. */
export interface PageHost {
  shadow: ShadowRoot;
  settings: () => Settings;
  /** Fires when the widget is destroyed. Nothing of it may stay behind. */
  signal: AbortSignal;
  /** Calls a method of the widget, and loads the widget if necessary. */
  want: (verb: string, ...values: unknown[]) => void;
}

/** `own`: see `storageName`. */
export function watchPage(page: PageHost, own: string, load: Load): void {
  const { settings, signal } = page;
  let isOffered = false;
  // The page works without it. The launcher shows if the service is away.
  const begin = (entry: 'offers' | 'landing' | 'deflect') =>
    void load<{ start: (page: PageHost) => unknown }>(entry).then(
      ({ start }) => start(page),
      () => {},
    );
  const onHint = (event: Event) => {
    // Selections and code in the widget itself don't count.
    const { host } = page.shadow;
    // A hidden widget offers nothing.
    if (event.target === host || !host.isConnected) return;
    const { selection, code, deflect } = settings();
    const target = event.composedPath()[0] as Element;
    if (deflect && target.matches?.(deflect)) begin('deflect');
    const isWanted =
      event.type === 'selectionchange'
        ? selection &&
          (document.activeElement !== host || !getSelection()?.isCollapsed) &&
          String(getSelection())
        : code && target.closest?.('pre');
    if (isOffered || !isWanted) return;
    isOffered = true;
    begin('offers');
  };
  for (const type of ['selectionchange', 'pointerover', 'focusin'])
    document.addEventListener(type, onHint, { signal });

  // The reader followed a citation to this page.
  if (isFlagSet(own, 'cited')) begin('landing');
}
