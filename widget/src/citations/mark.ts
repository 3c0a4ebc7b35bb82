/** Marks the cited words on the page for some seconds and scrolls to them. */
import type { PageHost } from '../loader/page-hints.ts';
import { adoptStyles } from '../styles/adopt-styles.ts';

const highlightName = 'docent-cited';
const shownMs = 7_000;
const fadeMs = 600;
const fadeSteps = 6;

/** Whether the reader sees the beginning of the range, and no header of the page covers it. */
function isSeen(range: Range): boolean {
  const box = range.getClientRects()[0] ?? range.getBoundingClientRect();
  if (box.top < 0 || box.bottom > innerHeight) return false;
  const top = document.elementFromPoint(
    box.left + Math.min(4, box.width / 2),
    box.top + box.height / 2,
  );
  if (!top || top.localName === 'docent-widget') return true;
  return top.contains(range.startContainer) || range.startContainer.contains(top);
}

export function bringIntoSight(range: Range, heading: Element | undefined): void {
  if (isSeen(range)) return;
  // Show the heading and the words if both fit, otherwise the words.
  heading?.scrollIntoView();
  if (isSeen(range)) return;
  const { startContainer: node } = range;
  (node instanceof Element ? node : node.parentElement)?.scrollIntoView({ block: 'center' });
}

function styleOf(shadow: ShadowRoot, strength: number): string {
  const own = getComputedStyle(shadow.host).getPropertyValue('--docent-cited').trim();
  const isDark = (shadow.host as HTMLElement).dataset['theme'] === 'dark';
  const color = own || (isDark ? 'rgb(255 205 60 / 34%)' : 'rgb(255 205 60 / 60%)');
  const paint = `color-mix(in srgb, ${color} ${strength * 100}%, transparent)`;
  return `::highlight(${highlightName}){background-color:${paint}}
@media (forced-colors:active){::highlight(${highlightName}){background-color:Highlight;color:HighlightText}}`;
}

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
  // Only count the time while the tab is visible.
  const wait = () => {
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(fade, shownMs);
  };
  wait();
  document.addEventListener('visibilitychange', wait, { signal: gone.signal });
  document.addEventListener('pointerdown', end, { signal: gone.signal, capture: true });
  signal.addEventListener('abort', end, { signal: gone.signal });
}
