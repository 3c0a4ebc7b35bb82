/**
 * Marks the words that a citation leads to and scrolls to them. CSS highlights touch no element of
 * the page. Text fragments are only for other sites: routers ignore them, they fail at any
 * difference in typography, and they never fade.
 */
import { routeOf } from '../page-context/page.ts';
import type { PageHost } from '../loader/page-hints.ts';
import { storageName } from '../loader/flags.ts';
import { type FollowedCitation, takeCitation } from './cited.ts';
import { searchWords } from './find-words.ts';
import { pollUntilFound } from './poll-until-found.ts';
import { bringIntoSight, mark } from './mark.ts';
import { readText, type Section } from './page-text.ts';
import { inSlices, type Work } from './slices.ts';

const maxSectionCharacters = 60_000;
const maxPageCharacters = 2_000_000;
const headings = 'h1, h2, h3, h4, h5, h6';

/** `/install/`, `/install.html`, and `/install` are one page, also behind a router's `#/`. */
function pageOf(address: string): string {
  const { origin, pathname, search, hash } = new URL(address);
  const bare = (path: string) => path.replace(/(\/index)?(\.html?)?\/?$/, '');
  const route = routeOf(hash);
  return origin + bare(pathname) + search + (route === undefined ? '' : `#${bare(route)}`);
}

const isHere = ({ url }: FollowedCitation): boolean => pageOf(url) === pageOf(location.href);

/** The element that the address leads to. */
function targetOf(url: string): Element | undefined {
  const hash = new URL(url).hash.slice(1);
  const names = [hash, /[?&]id=([^&]+)/.exec(hash)?.[1], hash.split('#').at(-1)];
  for (const name of names) {
    if (!name) continue;
    let id = name;
    try {
      id = decodeURIComponent(name);
    } catch {
      // A stray %.
    }
    const found = document.getElementById(id) ?? document.getElementsByName(id)[0];
    if (found) return found;
  }
  return undefined;
}

interface Found {
  ranges: Range[];
  heading: Element | undefined;
}

function* find(cited: FollowedCitation): Work<Found> {
  const target = targetOf(cited.url);
  const heading = target && (target.closest(headings) ?? target.querySelector(headings) ?? target);
  if (heading) {
    const after = [...document.querySelectorAll(headings)].find(
      (one) =>
        heading !== one && heading.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING,
    );
    const ranges = yield* searchIn(cited, {
      from: heading,
      until: after,
      maxCharacters: maxSectionCharacters,
    });
    if (ranges.length) return { ranges, heading };
  }
  return { ranges: yield* searchIn(cited, { maxCharacters: maxPageCharacters }), heading };
}

function* searchIn(cited: FollowedCitation, section: Section): Work<Range[]> {
  const page = yield* readText(document.body, section);
  const words = yield* searchWords(page.text, cited, section.from !== undefined);
  return words
    .map(({ start, end }) => page.range(start, end))
    .filter((range) => range.getClientRects().length > 0);
}

/** A new citation replaces the one that is still being looked for. */
let stopPolling: (() => void) | undefined;

export function start(
  page: Pick<PageHost, 'shadow' | 'settings' | 'signal'>,
  given?: FollowedCitation,
): void {
  const { settings, signal } = page;
  const name = storageName(settings());
  // A citation of another page stays: this page may be about to unload.
  const cited = given ?? takeCitation(name);
  if (!cited || signal.aborted) return;
  stopPolling?.();
  let hasReaderMoved = false;
  for (const event of ['wheel', 'touchmove', 'keydown'])
    addEventListener(event, () => (hasReaderMoved = true), { signal, passive: true, once: true });
  const done = (found: Found | undefined) => {
    // The router changed the page without loading one, so nothing else takes it.
    if (given) takeCitation(name);
    const [first] = found?.ranges ?? [];
    if (!found || !first) return;
    mark(found.ranges, page);
    const show = () => !hasReaderMoved && bringIntoSight(first, found.heading);
    show();
    // Pictures above it may still load and move it.
    if (document.readyState !== 'complete')
      addEventListener('load', () => requestAnimationFrame(show), { signal, once: true });
  };
  stopPolling = pollUntilFound({
    async poll(gone) {
      const found = isHere(cited) ? await inSlices(find(cited), gone) : undefined;
      if (!found?.result.ranges.length) return { spentMs: found?.spentMs ?? 0 };
      return { found: found.result, spentMs: found.spentMs };
    },
    done,
    signal,
  });
}
