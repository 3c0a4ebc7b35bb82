/** A button over the page, without Preact, because the page may never open the panel. */
import type { PageHost } from '../loader/page-hints.ts';
import { isTyping, matchesShortcut, showShortcut } from '../loader/shortcut.ts';
import { reachByTab } from './reach.ts';

const spark =
  'M12 4l1.7 4.9a2 2 0 0 0 1.4 1.4L20 12l-4.9 1.7a2 2 0 0 0-1.4 1.4L12 20l-1.7-4.9a2 2 0 0 0-1.4-1.4L4 12l4.9-1.7a2 2 0 0 0 1.4-1.4z';

function icon(): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', spark);
  svg.append(path);
  return svg;
}

interface Offer {
  name: 'ask-selection' | 'ask-code';
  /** Runs in a frame after the page has moved, while the button is there. */
  place: () => void;
  ask: () => void;
  hide: () => void;
  /** Whether the shortcut asks. */
  hasShortcut: () => boolean;
  /** Where Tab leads to the button from. `undefined`: leave Tab to the page. */
  from: (event: KeyboardEvent) => Node | undefined;
}

export function createOfferButton({ shadow, settings, signal }: PageHost, offer: Offer) {
  const { name, place, ask, hide, hasShortcut, from } = offer;
  const button = document.createElement('button');
  const shown = document.createElement('span');
  const keys = document.createElement('kbd');
  button.type = 'button';
  button.className = `offer ${name}`;
  button.dataset['testid'] = `docent-${name}`;
  button.hidden = true;
  keys.setAttribute('aria-hidden', 'true');
  button.append(icon(), shown, keys);
  button.onclick = ask;
  // Keep the selection and the focus until they are read.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  // Before the panel, which covers it.
  shadow.prepend(button);
  // Also before the launcher's shortcut.
  listenTo(signal)('keydown', (event) => {
    if (button.hidden || event.defaultPrevented || isTyping(event) || !hasShortcut()) return;
    if (!matchesShortcut(event, settings().shortcut)) return;
    event.preventDefault();
    ask();
  });
  reachByTab({ button, from, onDismiss: hide, signal });
  let frame = 0;
  const onMove = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      place();
    });
  };
  const moves = { signal, capture: true, passive: true };
  for (const type of ['scroll', 'resize']) {
    addEventListener(type, onMove, moves);
    window.visualViewport?.addEventListener(type, onMove, moves);
  }
  signal.addEventListener('abort', () => {
    cancelAnimationFrame(frame);
    button.remove();
  });
  return {
    button,
    /** `spoken`: the accessible name, if it differs from the words. */
    label: (words: string, spoken?: string): void => {
      shown.textContent = words;
      if (spoken) button.setAttribute('aria-label', spoken);
    },
    show: (showsKeys: boolean): void => {
      const { shortcut } = settings();
      keys.textContent = shortcut ? showShortcut(shortcut) : '';
      keys.hidden = !shortcut || !showsKeys;
      button.hidden = false;
    },
  };
}

/** Before the page's own handlers. */
export const listenTo =
  (signal: AbortSignal) =>
  <Name extends keyof DocumentEventMap>(
    name: Name,
    handle: (event: DocumentEventMap[Name]) => unknown,
  ): void =>
    document.addEventListener(name, handle, { signal, capture: true });

/** By `translate`, which doesn't count as a layout shift of the page. */
export function placeAt({ style }: HTMLElement, left: number, top: number): void {
  style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
}

/** The panel and the launcher, which cover what is under them. */
export function boxesOfOurs(shadow: ShadowRoot): DOMRect[] {
  const covering = shadow.querySelectorAll('.panel:not([hidden]), .launcher');
  return Array.from(covering, (element) => element.getBoundingClientRect());
}
