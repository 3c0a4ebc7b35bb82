/** The card of a citation: the page, the section, and the words that will be marked there. */
import type { PanelDeps } from '../panel/deps.ts';
import { clip, oneLine } from '../chat/limits.ts';
import { claimAt } from './claim.ts';
import { findWords } from './find-words.ts';
import { sourceOf } from './follow.ts';
import { pathForShow } from './path.ts';

const showDelayMs = 150;
const hideDelayMs = 200;
const gapPx = 6;
const edgePx = 8;
const maxWords = 220;

function wordsOf(quote: string, claim: string): string {
  const [first, ...others] = findWords(quote, { quote, claim }, false);
  const end = others.at(-1)?.end ?? first?.end ?? 0;
  return clip(oneLine(quote.slice(first?.start ?? 0, end)), maxWords);
}

export type Card = (link: Element, isNow: boolean) => void;

/** Shows the card of a citation: at once, or after a moment, because the pointer may only pass. */
export function createCard(deps: PanelDeps): Card {
  const { shadow, signal } = deps;
  const card = document.createElement('div');
  const [title, path, words] = ['b', 'span', 'p'].map((name) => document.createElement(name));
  card.id = 'docent-card';
  card.className = 'cite-card';
  card.setAttribute('role', 'tooltip');
  card.dataset['testid'] = 'docent-card';
  card.popover = 'manual';
  // The documentation may be in another language than the panel.
  card.dir = 'auto';
  card.append(...[title, path, words].filter((one) => one !== undefined));
  shadow.append(card);

  let link: Element | undefined;
  let timer: ReturnType<typeof setTimeout>;
  const hide = () => {
    clearTimeout(timer);
    link?.removeAttribute('aria-describedby');
    link = undefined;
    if (card.matches(':popover-open')) card.hidePopover();
  };
  const show = (next: Element) => {
    const found = next.isConnected ? sourceOf(next, deps) : undefined;
    hide();
    if (!found || !title || !path || !words) return;
    const { source } = found;
    title.textContent = source.title;
    path.textContent = pathForShow(source.url);
    words.textContent = wordsOf(source.quote ?? '', claimAt(next));
    link = next;
    next.setAttribute('aria-describedby', card.id);
    card.showPopover();
    const at = next.getBoundingClientRect();
    const { width, height } = card.getBoundingClientRect();
    const panel = next.closest('.panel')?.getBoundingClientRect();
    const [min, max] = [panel?.left ?? 0, (panel?.right ?? innerWidth) - width];
    const start = getComputedStyle(card).direction === 'rtl' ? at.right + 12 - width : at.left - 12;
    const left = Math.max(min + edgePx, Math.min(start, max - edgePx));
    const above = at.top - height - gapPx;
    card.style.left = `${left}px`;
    card.style.top = `${above > edgePx ? above : at.bottom + gapPx}px`;
  };
  const later = (work: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(work, ms);
  };

  const isOf = (target: EventTarget | null) =>
    target instanceof Node && (card.contains(target) || !!link?.contains(target));
  const on = (type: string, handle: (event: Event) => unknown) =>
    shadow.addEventListener(type, handle, { signal });
  on('pointerover', ({ target }) => isOf(target) && clearTimeout(timer));
  on('pointerout', ({ target }) => isOf(target) && later(hide, hideDelayMs));
  on('focusout', ({ target }) => isOf(target) && hide());
  on('click', hide);
  shadow.addEventListener('scroll', hide, { signal, capture: true, passive: true });
  // Escape closes only the card, not the panel.
  shadow.addEventListener(
    'keydown',
    (event) => {
      if (!link || (event as KeyboardEvent).key !== 'Escape') return;
      event.stopPropagation();
      event.preventDefault();
      hide();
    },
    { signal, capture: true },
  );
  signal.addEventListener('abort', () => {
    hide();
    card.remove();
  });
  return (next, isNow) => {
    if (next === link) return clearTimeout(timer);
    later(() => show(next), isNow ? 0 : showDelayMs);
  };
}
