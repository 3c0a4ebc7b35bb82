import { toReaderText } from '../../retrieval/reader-line.ts';
import { pageUrl } from '../../platform/tenants/page-url.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { FoundPage, FoundPassage } from '../../retrieval/retriever.ts';
import type { NumberedPassage } from './prompt.ts';
import { quoteOf } from './source-quote.ts';
import type { Source } from '../conversations/threads.ts';

/** The same section twice is one source: passages under one heading share their number. */
export function toSources(
  pages: FoundPage[],
  docs: Pick<Site['docs'], 'baseUrl' | 'pathStyle'>,
  question: string,
): { sources: Source[]; passages: NumberedPassage[]; quotes: Map<Source, string> } {
  const sources: Source[] = [];
  const found = new Map<Source, FoundPassage[]>();
  const passages: NumberedPassage[] = [];
  for (const page of pages) {
    for (const passage of page.passages) {
      const url = pageUrl(docs, page, passage.anchor);
      let source = sources.find((each) => each.url === url);
      if (!source) {
        const isWholePage = passage.anchor === '' || passage.heading === page.title;
        const title = isWholePage ? page.title : `${page.title} › ${passage.heading}`;
        source = { id: String(sources.length + 1), url, title };
        sources.push(source);
      }
      passages.push({ number: source.id, title: source.title, markdown: passage.markdown });
      found.set(source, [...(found.get(source) ?? []), passage]);
    }
  }
  const quoted = (source: Source) => toReaderText(quoteOf(question, found.get(source) ?? []));
  const quotes = new Map(sources.map((one) => [one, quoted(one)]));
  return { sources, passages, quotes };
}
