import { toReaderLine } from './reader-line.ts';
import type { FoundPage, FoundPassage, Page } from './retriever.ts';

/** A page as a search result: its names and the passages that match. */
export function toFoundPage(
  page: Pick<Page, 'path' | 'url' | 'title' | 'version' | 'language'>,
  score: number,
  passages: FoundPassage[],
): FoundPage {
  const { path, url, title, version, language } = page;
  return {
    path,
    ...(url !== undefined && { url }),
    title: toReaderLine(title),
    ...(version !== undefined && { version }),
    ...(language !== undefined && { language }),
    score,
    passages: passages.map((passage) => ({
      ...passage,
      heading: toReaderLine(passage.heading),
      headingPath: passage.headingPath.map(toReaderLine),
    })),
  };
}
