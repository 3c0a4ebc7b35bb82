/** "Ask about this" near selected text; loaded with the first selection on a page. */
import type { OfferSelection } from './panel-contract.ts';
import { isTyping, matchesShortcut, showShortcut } from './shortcut.ts';
import { contextOf } from './selection.ts';
import { selectionStrings as text } from './text/english.ts';
import paletteCss from './styles/palette.css?inline';
import css from './styles/selection-button.css?inline';

/** A selection made by keyboard is done when it stands still this long. */
const settleMs = 200;
const gapPx = 8;

export const offerSelection: OfferSelection = (shadow, onAsk, shortcut) => {
  const gone = new AbortController();
  const { signal } = gone;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(paletteCss + css);
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];

  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'ask-selection';
  button.dataset['testid'] = 'docent-ask-selection';
  button.textContent = text.ask;
  if (shortcut) button.title = showShortcut(shortcut);
  button.hidden = true;
  shadow.append(button);

  let isPressed = false;
  let asked: string | undefined;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout>;

  /** Below the end of the selection, inside the window. */
  const place = () => {
    frame = 0;
    const selection = getSelection();
    if (button.hidden || !selection?.rangeCount) return;
    const range = selection.getRangeAt(0);
    const boxes = range.getClientRects();
    const box = boxes[boxes.length - 1] ?? range.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = button;
    const below = box.bottom + gapPx;
    const top = below + offsetHeight > innerHeight ? box.top - offsetHeight - gapPx : below;
    const left = Math.min(box.right - offsetWidth / 2, innerWidth - offsetWidth - gapPx);
    button.style.top = `${Math.max(gapPx, top)}px`;
    button.style.left = `${Math.max(gapPx, left)}px`;
  };
  const update = () => {
    if (isPressed) return;
    const item = contextOf(getSelection());
    // What was asked about stays selected, and needs no second offer.
    button.hidden = !item || item.value === asked;
    if (!item) asked = undefined;
    place();
  };
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(update, settleMs);
  };
  const onMove = () => {
    if (!button.hidden) frame ||= requestAnimationFrame(place);
  };

  // The button must not take the selection away before it is read.
  button.addEventListener('pointerdown', (event) => event.preventDefault());
  button.addEventListener('click', () => {
    const item = contextOf(getSelection());
    button.hidden = true;
    asked = item?.value;
    if (item) onAsk(item);
  });
  // By keyboard: the shortcut asks about what is selected, before the launcher hears of it.
  document.addEventListener(
    'keydown',
    (event) => {
      if (button.hidden || isTyping(event) || !matchesShortcut(event, shortcut)) return;
      event.preventDefault();
      button.click();
    },
    { signal, capture: true },
  );
  document.addEventListener('selectionchange', later, { signal });
  document.addEventListener('pointerdown', () => (isPressed = true), { signal, capture: true });
  for (const end of ['pointerup', 'pointercancel'] as const) {
    const release = () => {
      isPressed = false;
      later();
    };
    document.addEventListener(end, release, { signal, capture: true });
  }
  addEventListener('scroll', onMove, { signal, capture: true, passive: true });
  addEventListener('resize', onMove, { signal });
  later();

  return () => {
    gone.abort();
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    button.remove();
    shadow.adoptedStyleSheets = shadow.adoptedStyleSheets.filter((one) => one !== sheet);
  };
};
