/** Pages that a reader may mean by "this page is wrong". */
import { citedNumbers } from '@docent/shared/citations';
import { safeUrl } from '../markdown/safe-url.ts';
import type { Message } from '../chat/message.ts';
import { pathOf } from '../page-context/page.ts';

export interface ReportablePage {
  /** As it stands in the address bar, without what is behind `?` or leads into the page. */
  path: string;
  title: string;
  /** The page that the reader is on. */
  isHere: boolean;
}

const maxPages = 5;

const hereNow = (): ReportablePage => ({
  path: pathOf(location),
  title: document.title || pathOf(location),
  isHere: true,
});

const trimmed = (path: string): string => path.replace(/(?<=.)\/+$/, '').replace(/\.html?$/, '');

function readablePath(url: string): string {
  const path = pathOf(new URL(url, location.href));
  try {
    return decodeURI(path);
  } catch {
    return path; // A stray % that decodes to nothing.
  }
}

/** Pages of an answer, those that it cites before those it only read; then the one the reader is on. */
export function pagesOf({ sources, text }: Message): ReportablePage[] {
  const numbers = citedNumbers(text);
  const cited = sources.filter(({ id }) => numbers.has(id));
  const here = hereNow();
  const pages = new Map<string, ReportablePage>();
  for (const { url: given, title } of cited.length ? cited : sources) {
    const url = safeUrl(given);
    if (!url) continue;
    const path = readablePath(url);
    const isHere = trimmed(path) === trimmed(here.path);
    // "Install › From npm": the heading says where on the page, which the note says better.
    const page = { path, title: title.split(' › ')[0] ?? title, isHere };
    if (!pages.has(trimmed(path))) pages.set(trimmed(path), page);
  }
  const found = [...pages.values()].slice(0, maxPages);
  return found.some(({ isHere }) => isHere) ? found : [...found, here];
}

export { hereNow as currentPage };
