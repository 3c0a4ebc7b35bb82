/** The cited words on the page: painted for some seconds, and in sight. */
import type { PageHost } from '../loader/page-hints.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';

const highlightName = 'docent-cited';
const shownMs = 7_000;
const fadeMs = 600;
const fadeSteps = 6;

/** Whether a reader sees the beginning of it: in the window, and not under a header of the page. */
function isSeen(range: Range): boolean {
  const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) return false;
  const top = document.elementFromPoint(
    box.left + Math.min(4, box.width / 2),
    box.top + box.height / 2,
  );
  // Our own panel beside it is not in the way of scrolling.
  if (!top || top.localName === 'docent-widget') return true;
  return top.contains(range.startContainer) || range.startContainer.contains(top);
}

export function bringIntoSight(range: Range, heading: Element | undefined): void {
  if (isSeen(range)) return;
  // The heading and the words where both have room, else the words.
  heading?.scrollIntoView();
  if (isSeen(range)) return;
  const { startContainer: node } = range;
  (node instanceof Element ? node : node.parentElement)?.scrollIntoView({ block: 'center' });
}

function styleOf(shadow: ShadowRoot, strength: number): string {
  const own = getComputedStyle(shadow.host).getPropertyValue('--docent-cited').trim();
  const isDark = (shadow.host as HTMLElement).dataset['theme'] === 'dark';
  const colour = own || (isDark ? 'rgb(255 205 60 / 34%)' : 'rgb(255 205 60 / 60%)');
  const paint = `color-mix(in srgb, ${colour} ${strength * 100}%, transparent)`;
  return `::highlight(${highlightName}){background-color:${paint}}
@media (forced-colors:active){::highlight(${highlightName}){background-color:Highlight;color:HighlightText}}`;
}

/** The mark of the citation before this one. */
let endLast: (() => void) | undefined;

export function mark(
  ranges: Range[],
  { shadow, signal }: Pick<PageHost, 'shadow' | 'signal'>,
): void {
  endLast?.();
  if (!ranges.length || typeof Highlight !== 'function' || !CSS.highlights) return;
  const gone = new AbortController();
  CSS.highlights.set(highlightName, new Highlight(...ranges));
  let unstyle = adoptStyles(document, styleOf(shadow, 1));
  let timer: ReturnType<typeof setTimeout>;
  const end = () => {
    clearTimeout(timer);
    gone.abort();
    unstyle();
    CSS.highlights.delete(highlightName);
    if (endLast === end) endLast = undefined;
  };
  endLast = end;
  let step = fadeSteps;
  const fade = () => {
    if (--step <= 0 || matchMedia('(prefers-reduced-motion: reduce)').matches) return end();
    const before = unstyle;
    unstyle = adoptStyles(document, styleOf(shadow, step / fadeSteps));
    before();
    timer = setTimeout(fade, fadeMs / fadeSteps);
  };
  // Time counts while somebody can see it.
  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(fade, shownMs);
  };
  wait();
  document.addEventListener('visibilitychange', wait, { signal: gone.signal });
  document.addEventListener('pointerdown', end, { signal: gone.signal, capture: true });
  signal.addEventListener('abort', end, { signal: gone.signal });
}
