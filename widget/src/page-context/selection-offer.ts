import type { PageHost } from '../loader/page-hints.ts';
import type { PageContext } from './items.ts';
import { isTyping, showShortcut } from '../loader/shortcut.ts';
import { fill } from '../text/fill.ts';
import { boxesOfOurs, createOfferButton, listenTo, placeAt } from './offer-button.ts';
import type { OfferText } from './offer-text.ts';
import { contextOf, readSelection, type Selected } from './selection.ts';

/** A selection by keyboard or touch is complete when it doesn't change for this long. */
const settleMs = 200;
const gapPx = 8;
/** Above the bars of browsers and systems. */
const bottomPx = 24;
/** How far from a selection the system's menu may be. */
const menuPx = 72;

function isFromRight({ endContainer: end }: Range): boolean {
  const element = end instanceof Element ? end : end.parentElement;
  return element !== null && getComputedStyle(element).direction === 'rtl';
}

export function offerSelection(page: PageHost, text: OfferText): void {
  const { shadow, settings, signal, want } = page;
  /**
   * The last input device. The selection that loaded this file may have been made with the
   * keyboard.
   */
  let device: 'mouse' | 'touch' | 'keyboard' = matchMedia('(pointer: coarse)').matches
    ? 'touch'
    : 'keyboard';
  let isPressed = false;
  let root: ShadowRoot | undefined;
  let selected: Selected | undefined;
  let item: PageContext | undefined;
  let asked: string | undefined;
  let timer: ReturnType<typeof setTimeout>;

  /**
   * Below the end of the selection. On a touch screen, the system's menu is there, so at the bottom
   * of the screen, or at its top if the selection is low.
   */
  const place = () => {
    if (button.hidden || !selected) return;
    const boxes = selected.range.getClientRects();
    const box = boxes[boxes.length - 1] ?? selected.range.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = button;
    const view = window.visualViewport;
    const width = view?.width ?? innerWidth;
    const height = view?.height ?? innerHeight;
    if (device === 'touch') {
      const head = (view?.offsetTop ?? 0) + bottomPx;
      const left = (view?.offsetLeft ?? 0) + (width - offsetWidth) / 2;
      let foot = (view?.offsetTop ?? 0) + height - offsetHeight - bottomPx;
      for (const ours of boxesOfOurs(shadow)) {
        const isNear = ours.left < left + offsetWidth + gapPx && ours.right > left - gapPx;
        if (isNear && ours.bottom > foot) foot = Math.min(foot, ours.top - offsetHeight - gapPx);
      }
      const isLow = box.bottom > foot - menuPx && box.top < foot + offsetHeight + menuPx;
      return placeAt(button, left, isLow ? head : foot);
    }
    const below = box.bottom + gapPx;
    const lowest = innerHeight - offsetHeight - gapPx;
    // The end may be out of sight, for example if the whole page is selected.
    const top = Math.min(below > lowest ? box.top - offsetHeight - gapPx : below, lowest);
    const end = isFromRight(selected.range) ? box.left : box.right;
    let left = Math.min(end - offsetWidth / 2, width - offsetWidth - gapPx);
    for (const ours of boxesOfOurs(shadow)) {
      const isUnder = ours.top < top + offsetHeight && ours.bottom > top;
      if (isUnder && ours.left < left + offsetWidth && ours.right > left)
        left = ours.left - offsetWidth - gapPx;
    }
    placeAt(button, Math.max(gapPx, left), Math.max(gapPx, top));
  };

  const hide = () => {
    button.hidden = true;
    hint.textContent = '';
  };
  const update = () => {
    if (isPressed) return;
    const { selection, shortcut } = settings();
    const now = selection && shadow.host.isConnected ? readSelection(root) : undefined;
    item = contextOf(now);
    if (!item) asked = undefined;
    // The reader has already asked about this selection.
    if (!item || item.value === asked) return hide();
    selected = now;
    button.dataset['by'] = device;
    show(device !== 'touch');
    if (device === 'keyboard') {
      hint.textContent = shortcut
        ? fill(text.now.reachWithKeys, { keys: showShortcut(shortcut) })
        : text.now.reach;
    }
    place();
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(update, settleMs);
  };
  // Doesn't read the selection again: a tap may have cleared it.
  const ask = () => {
    const about = item;
    hide();
    if (!about) return;
    asked = about.value;
    want('askAbout', about);
  };

  const { button, label, show } = createOfferButton(page, {
    name: 'ask-selection',
    place,
    ask,
    hide,
    hasShortcut: () => true,
    from: (event) =>
      device === 'keyboard' && !isTyping(event) ? selected?.range.endContainer : undefined,
  });
  text.watch(() => label(text.now.ask));
  const hint = document.createElement('div');
  hint.className = 'offer-hint';
  hint.setAttribute('role', 'status');
  shadow.prepend(hint);

  const on = listenTo(signal);
  on('keydown', ({ shiftKey, ctrlKey, metaKey }) => {
    if (shiftKey || ctrlKey || metaKey) device = 'keyboard';
  });
  on('pointerdown', (event) => {
    isPressed = true;
    if (event.composedPath().includes(button)) return;
    device = event.pointerType === 'touch' ? 'touch' : 'mouse';
    const pressed = (event.composedPath()[0] as Node).getRootNode();
    root = pressed instanceof ShadowRoot && pressed !== shadow ? pressed : undefined;
  });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    const release = () => {
      isPressed = false;
      later();
    };
    on(end, release);
  }
  document.addEventListener('selectionchange', later, { signal });
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    hint.remove();
  });
  later();
}
