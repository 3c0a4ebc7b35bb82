/**
 * Where a citation lands: the words that an answer rests on are marked on the page and brought into
 * sight. The browser paints them (CSS Custom Highlights), so no element of the page is touched; our
 * one style sheet goes with the mark, after some seconds or with the reader's next press.
 *
 * Text fragments (`#:~:text=`) would need no code, but routers of single pages do not know them, they
 * scroll past the heading, fail at any difference in typography, and never fade. They are what links
 * to another site get, where none of our code runs; see follow.ts.
 */
import type { PageHost } from '../panel-contract.ts';
import { stylePage } from '../page-style.ts';
import { storageName } from '../presence.ts';
import { type Cited, takeCited } from './cited.ts';
import { findWords } from './find-words.ts';
import { readText } from './page-text.ts';

const highlightName = 'docent-cited';
/** A router or a slow page may take this long to show what the address names. */
const longestWaitMs = 8_000;
const lookEveryMs = 150;
const shownMs = 7_000;
const fadeMs = 600;
const fadeSteps = 6;
const headings = 'h1, h2, h3, h4, h5, h6';

/** `/install/`, `/install.html` and `/install` are one page. */
function pageOf(address: string): string {
  const { origin, pathname, search } = new URL(address);
  return origin + pathname.replace(/(\/index)?(\.html?)?\/?$/, '') + search;
}

/** With routers that keep the page in the hash: the whole of it. */
const isHere = ({ url }: Cited): boolean =>
  pageOf(url) === pageOf(location.href) &&
  (!/^#!?\//.test(new URL(url).hash) ||
    new URL(url).hash.split('?')[0] === location.hash.split('?')[0]);

/** The heading, or another named place, that an address leads to. */
function placeOf(url: string): Element | undefined {
  const hash = new URL(url).hash.slice(1);
  const names = [hash, /[?&]id=([^&]+)/.exec(hash)?.[1], hash.split('#').at(-1)];
  for (const name of names) {
    if (!name) continue;
    let id = name;
    try {
      id = decodeURIComponent(name);
    } catch {
      // A stray %: as it is written.
    }
    const found = document.getElementById(id) ?? document.getElementsByName(id)[0];
    if (found) return found;
  }
  return undefined;
}

/** The ranges of the cited words, as far as they are there and can be seen. */
function find(cited: Cited): { ranges: Range[]; heading: Element | undefined } {
  const place = placeOf(cited.url);
  const heading = place && (place.closest(headings) ?? place.querySelector(headings) ?? place);
  const all = [...document.querySelectorAll(headings)];
  const next =
    heading &&
    all.find(
      (one) =>
        heading !== one && heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
  const look = (isSection: boolean): Range[] => {
    const page = isSection ? readText(document.body, heading, next) : readText(document.body);
    return findWords(page.text, cited, isSection)
      .map(({ start, end }) => page.range(start, end))
      .filter((range) => range.getClientRects().length > 0);
  };
  const inSection = heading ? look(true) : [];
  return { ranges: inSection.length ? inSection : look(false), heading };
}

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

function bringIntoSight(range: Range, heading: Element | undefined): void {
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

function mark(ranges: Range[], { shadow, signal }: Pick<PageHost, 'shadow' | 'signal'>): void {
  endLast?.();
  if (!ranges.length || typeof Highlight !== 'function' || !CSS.highlights) return;
  const gone = new AbortController();
  CSS.highlights.set(highlightName, new Highlight(...ranges));
  let unstyle = stylePage(styleOf(shadow, 1));
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
    unstyle = stylePage(styleOf(shadow, step / fadeSteps));
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

/** One at a time: a citation that is followed while the last one is on its way takes its place. */
let stopWaiting: (() => void) | undefined;

export function land(page: Pick<PageHost, 'shadow' | 'settings' | 'signal'>, given?: Cited): void {
  const { settings, signal } = page;
  const name = storageName(settings());
  // What was kept for another page stays kept: this one may be on its way out.
  const cited = given ?? takeCited(name);
  if (!cited || signal.aborted) return;
  stopWaiting?.();
  const gone = new AbortController();
  const stop = () => {
    gone.abort();
    clearTimeout(timer);
    clearTimeout(last);
    observer.disconnect();
  };
  stopWaiting = stop;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReaders = false;
  const until = performance.now() + longestWaitMs;
  const look = () => {
    timer = undefined;
    const found = isHere(cited) ? find(cited) : undefined;
    const [first] = found?.ranges ?? [];
    if (found && first) {
      stop();
      // Kept for a page that did not come: the router of this one has brought it.
      if (given) takeCited(name);
      mark(found.ranges, page);
      if (!isReaders) bringIntoSight(first, found.heading);
      // Pictures above it may still come and move it.
      if (document.readyState !== 'complete') {
        addEventListener(
          'load',
          () => !isReaders && requestAnimationFrame(() => bringIntoSight(first, found.heading)),
          { signal, once: true },
        );
      }
    } else if (performance.now() > until) {
      stop();
      if (given) takeCited(name);
    }
  };
  const later = () => (timer ??= setTimeout(look, lookEveryMs));
  const observer = new MutationObserver(later);
  observer.observe(document.documentElement, {
    childList: true,
    subtree: true,
    characterData: true,
  });
  for (const event of ['wheel', 'touchmove', 'keydown'])
    addEventListener(event, () => (isReaders = true), { signal, passive: true, once: true });
  for (const event of ['popstate', 'hashchange', 'load'])
    addEventListener(event, later, { signal: gone.signal });
  const last = setTimeout(look, longestWaitMs);
  signal.addEventListener('abort', stop, { signal: gone.signal });
  // After the browser, or the page's router, has gone where the link leads.
  later();
}
