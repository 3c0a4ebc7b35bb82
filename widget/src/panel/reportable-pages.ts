import { citedNumbers } from '@docent/shared/citations';
import { safeUrl } from '../markdown/safe-url.ts';
import type { Message } from '../chat/message.ts';
import { pathOf } from '../page-context/page.ts';

export interface ReportablePage {
  /** Without a query or an anchor. */
  path: string;
  title: string;
  /** The reader's current page. */
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

/** The pages that a report may be about: cited pages, otherwise read ones, and the current page. */
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
    // Drop the heading: "Install › From npm" becomes "Install".
    const page = { path, title: title.split(' › ')[0] ?? title, isHere };
    if (!pages.has(trimmed(path))) pages.set(trimmed(path), page);
  }
  const found = [...pages.values()].slice(0, maxPages);
  return found.some(({ isHere }) => isHere) ? found : [...found, here];
}

export { hereNow as currentPage };
