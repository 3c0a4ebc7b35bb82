/** Offers to ask about the block of code that a reader points at, focuses, or taps. */
import { currentPath } from './page.ts';
import type { PageHost } from '../loader/page-hints.ts';
import { blockOf, obstaclesOf, type CodeBlock } from './code-block.ts';
import { codeText } from './code-text.ts';
import { boxesOfOurs, createOfferButton, listenTo, placeAt } from './offer-button.ts';
import type { OfferText } from './offer-text.ts';
import { elementIdOf, headingAbove } from './page-location.ts';

const insetPx = 8;
const gapPx = 4;
const hideDelayMs = 250;
const stepPx = 12;

interface Position {
  left: number;
  top: number;
}

/** At the top end of the block, next to the theme's own controls. */
function positionIn(
  block: CodeBlock,
  { offsetWidth: width, offsetHeight: height }: HTMLElement,
  ours: DOMRect[],
): Position | undefined {
  const box = block.pre.getBoundingClientRect();
  if (!box.width || !box.height || box.bottom < 0 || box.top > innerHeight) return undefined;
  const obstacles = [...obstaclesOf(block), ...ours];
  const isLow = box.height < height + 2 * insetPx;
  const first = isLow ? box.top + (box.height - height) / 2 : box.top + insetPx;
  const last = isLow ? first : box.bottom - height - insetPx;
  const end = Math.min(box.right, innerWidth) - insetPx;
  const start = Math.max(box.left, 0) + insetPx;

  /** The free place nearest to the end of a row. */
  const inRow = (top: number): number | undefined => {
    let left = end - width;
    const isTaken = (other: DOMRect) =>
      other.left < left + width + gapPx &&
      other.right > left - gapPx &&
      other.top < top + height + gapPx &&
      other.bottom > top - gapPx;
    for (let taken = obstacles.find(isTaken); taken; taken = obstacles.find(isTaken)) {
      left = taken.left - width - gapPx - 1;
    }
    return left < start ? undefined : left;
  };
  /** Whether the block is visible there, and not covered by a fixed header. */
  const isSeen = (left: number, top: number) => {
    const root = block.pre.getRootNode() as Document | ShadowRoot;
    return [top, top + height].every((y) => {
      const seen = root
        .elementsFromPoint(left + width / 2, y)
        .find((element) => element.localName !== 'docent-widget');
      return !seen || block.wrapper.contains(seen);
    });
  };
  for (let top = Math.max(first, insetPx); top <= last; top += stepPx) {
    const left = inRow(top);
    if (left !== undefined && isSeen(left, top)) return { left, top };
    if (top > Math.max(first, insetPx) + 200) break;
  }
  const left = inRow(last);
  return left !== undefined && isSeen(left, last) ? { left, top: last } : undefined;
}

export function offerCode(page: PageHost, text: OfferText): void {
  const { shadow, settings, signal, want } = page;
  let block: CodeBlock | undefined;
  /** The focused element that caused the offer. */
  let focused: HTMLElement | undefined;
  /** Tab has already gone to the button, so the next Tab continues in the block. */
  let isVisited = false;
  let isTouch = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const stay = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const hide = () => {
    stay();
    block = undefined;
    button.hidden = true;
  };
  const place = () => {
    if (!block) return;
    // Its size counts.
    show(focused !== undefined);
    const position = block.pre.isConnected
      ? positionIn(block, button, boxesOfOurs(shadow))
      : undefined;
    if (position) placeAt(button, position.left, position.top);
    else button.hidden = true;
  };
  const offer = (next: CodeBlock) => {
    stay();
    if (block?.pre === next.pre && !button.hidden) return;
    if (!settings().code || !shadow.host.isConnected) return;
    if (codeText(next.pre).length < 2) return;
    block = next;
    isVisited = false;
    place();
  };
  const leave = () => {
    if (block && !timer) timer = setTimeout(hide, hideDelayMs);
  };
  const onPoint = (path: EventTarget[]) => {
    const [target] = path;
    if (path.includes(shadow)) {
      if (path.includes(button)) stay();
      return;
    }
    const found = blockOf(target as Node);
    if (found) offer(found);
    else if (block?.wrapper.contains(target as Node)) stay();
    else if (focused) {
      const own = blockOf(focused, true);
      if (own) offer(own);
    } else leave();
  };
  const ask = () => {
    const about = block;
    hide();
    if (!about) return;
    const { pre } = about;
    want('askAbout', {
      type: 'code',
      value: codeText(pre),
      path: currentPath(),
      elementId: elementIdOf(pre),
      heading: headingAbove(pre),
    });
  };
  const { button, label, show } = createOfferButton(page, {
    name: 'ask-code',
    place,
    ask,
    hide,
    hasShortcut: () => focused !== undefined,
    from: () => {
      if (!focused || isVisited) return undefined;
      isVisited = true;
      return focused;
    },
  });
  text.watch(() => label(text.now.askCode, text.now.askCodeName));
  button.addEventListener('focus', stay);

  const on = listenTo(signal);
  on('pointerdown', (event) => (isTouch = event.pointerType === 'touch'));
  // A touch may be the start of scrolling, so wait for the click.
  on('pointerover', (event) => event.pointerType === 'touch' || onPoint(event.composedPath()));
  on('click', (event) => isTouch && onPoint(event.composedPath()));
  on('focusin', (event) => {
    const [target] = event.composedPath();
    if (event.composedPath().includes(shadow)) return;
    const found = blockOf(target as Node, true);
    focused = found && (target as HTMLElement);
    if (found) offer(found);
    else leave();
  });
  on('focusout', () => {
    focused = undefined;
    leave();
  });
  signal.addEventListener('abort', hide);

  // The event that loaded this file is over, so look at the current state.
  const hovered = [...document.querySelectorAll('pre:hover, pre:focus, pre:focus-within')].at(-1);
  const { activeElement } = document;
  if (hovered?.contains(activeElement)) focused = activeElement as HTMLElement;
  const first = blockOf(hovered);
  if (first) offer(first);
}
