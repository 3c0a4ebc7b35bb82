/**
 * Where a citation lands: the words that an answer rests on are marked on the page and brought into
 * sight. The browser paints them (CSS Custom Highlights), so no element of the page is touched; our
 * one style sheet goes with the mark, after some seconds or with the reader's next press.
 *
 * Text fragments (`#:~:text=`) would need no code, but routers of single pages do not know them, they
 * scroll past the heading, fail at any difference in typography, and never fade. They are what links
 * to another site get, where none of our code runs; see follow.ts.
 */
import { routeOf } from '../page-context/page.ts';
import type { PageHost } from '../loader/page-hints.ts';
import { storageName } from '../loader/flags.ts';
import { type Cited, takeCited } from './cited.ts';
import { searchWords } from './find-words.ts';
import { pollUntilFound } from './poll-until-found.ts';
import { bringIntoSight, mark } from './mark.ts';
import { readText, type Section } from './page-text.ts';
import { inSlices, type Work } from './slices.ts';

/** A section that is longer is read as far as this; a page, where its section has none of the words. */
const maxOfSection = 60_000;
const maxOfPage = 2_000_000;
const headings = 'h1, h2, h3, h4, h5, h6';

/** `/install/`, `/install.html` and `/install` are one page; so are they behind the `#/` of a router. */
function pageOf(address: string): string {
  const { origin, pathname, search, hash } = new URL(address);
  const bare = (path: string) => path.replace(/(\/index)?(\.html?)?\/?$/, '');
  const route = routeOf(hash);
  return origin + bare(pathname) + search + (route === undefined ? '' : `#${bare(route)}`);
}

const isHere = ({ url }: Cited): boolean => pageOf(url) === pageOf(location.href);

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

interface Found {
  /** The cited words, as far as they are there and can be seen. */
  ranges: Range[];
  heading: Element | undefined;
}

function* find(cited: Cited): Work<Found> {
  const place = placeOf(cited.url);
  const heading = place && (place.closest(headings) ?? place.querySelector(headings) ?? place);
  if (heading) {
    const after = [...document.querySelectorAll(headings)].find(
      (one) =>
        heading !== one && heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const ranges = yield* searchIn(cited, { from: heading, until: after, most: maxOfSection });
    if (ranges.length) return { ranges, heading };
  }
  return { ranges: yield* searchIn(cited, { most: maxOfPage }), heading };
}

function* searchIn(cited: Cited, section: Section): Work<Range[]> {
  const page = yield* readText(document.body, section);
  const words = yield* searchWords(page.text, cited, section.from !== undefined);
  return words
    .map(({ start, end }) => page.range(start, end))
    .filter((range) => range.getClientRects().length > 0);
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
  let isReaders = false;
  for (const event of ['wheel', 'touchmove', 'keydown'])
    addEventListener(event, () => (isReaders = true), { signal, passive: true, once: true });
  const done = (found: Found | undefined) => {
    // Kept for a page that did not come: the router of this one has brought it.
    if (given) takeCited(name);
    const [first] = found?.ranges ?? [];
    if (!found || !first) return;
    mark(found.ranges, page);
    const show = () => !isReaders && bringIntoSight(first, found.heading);
    show();
    // Pictures above it may still come and move it.
    if (document.readyState !== 'complete')
      addEventListener('load', () => requestAnimationFrame(show), { signal, once: true });
  };
  stopWaiting = pollUntilFound({
    async poll(gone) {
      const found = isHere(cited) ? await inSlices(find(cited), gone) : undefined;
      if (!found?.result.ranges.length) return { spentMs: found?.spentMs ?? 0 };
      return { found: found.result, spentMs: found.spentMs };
    },
    done,
    signal,
  });
}
