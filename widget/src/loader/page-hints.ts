/** Loads the code that works on the page at the first sign that a reader needs it. */
import type * as Landing from '../citations/landing.ts';
import type * as Offers from '../page-context/offers.ts';
import type { PageContext } from '../page-context/items.ts';
import type { Load } from './load.ts';
import type { Settings } from './settings.ts';
import { isFlagSet } from './flags.ts';

/** The widget, as seen by code that works on the page itself. */
export interface PageHost {
  shadow: ShadowRoot;
  settings: () => Settings;
  /** Fires when the widget is destroyed. Nothing of it may stay behind. */
  signal: AbortSignal;
  onAsk: (item: PageContext) => void;
}

/** `own`: see `storageName`. */
export function watchPage(page: PageHost, own: string, load: Load): void {
  const { settings, signal } = page;
  let isOffered = false;
  const onHint = (event: Event) => {
    // Selections and code in the widget itself don't count.
    const { host } = page.shadow;
    // A hidden widget offers nothing.
    if (event.target === host || !host.isConnected) return;
    const { selection, code } = settings();
    const isWanted =
      event.type === 'selectionchange'
        ? selection &&
          (document.activeElement !== host || !getSelection()?.isCollapsed) &&
          String(getSelection())
        : code && (event.composedPath()[0] as Element).closest?.('pre');
    if (isOffered || !isWanted) return;
    isOffered = true;
    // The page works without it. The launcher shows if the service is away.
    load<typeof Offers>('offers').then(
      ({ offer }) => offer(page),
      () => {},
    );
  };
  for (const type of ['selectionchange', 'pointerover', 'focusin'])
    document.addEventListener(type, onHint, { signal });

  // The reader followed a citation to this page.
  if (isFlagSet(own, 'cited'))
    load<typeof Landing>('landing').then(
      ({ land }) => land(page),
      () => {},
    );
}
