/**
 * How well the built-in model quotes. By hand:
 *   node tests/bench/extractive.bench.ts [--docs ../shared/retrieval] [--show 5]
 * Of the questions whose section is labelled: how often a quotation is of that section or page, first
 * or at all, and how long an answer is. `--show` prints that many answers, to be read.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseQuotes } from '../../server/src/reader/extractive/extractive-model.ts';
import { bestSections } from '../../server/src/reader/ask/reader-pages.ts';
import { toSources } from '../../server/src/reader/ask/sources.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';

const { values } = parseArgs({ options: { docs: { type: 'string' }, show: { type: 'string' } } });
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));

interface Sections {
  sections?: { path: string; heading: string }[];
}

try {
  const retriever = createEmbeddedRetriever({ folder });
  const corpora = await readCorpora(root);
  for (const [corpus, pages] of corpora)
    await retriever.apply(corpus, { upsert: pages, remove: [] });
  const questions = await readQuestions(root);
  const docs = { folder: '/', basePath: '/', pathStyle: 'clean' } as const;
  let shown = Number(values.show ?? 0);

  for (const corpus of corpora.keys()) {
    const counts = {
      questions: 0,
      engine: 0,
      first: 0,
      any: 0,
      section: 0,
      labelled: 0,
      nothing: 0,
      characters: 0,
      quotes: 0,
    };
    for (const { question, relevant, ...rest } of questions.filter(
      (each) => each.corpus === corpus,
    )) {
      const found = await retriever.search(corpus, { text: question, pageSize: 5 });
      const pages = bestSections(found.pages, 5);
      const { sources, passages } = toSources(pages, docs, question);
      const quotes = chooseQuotes(question, passages);
      const pathOf = (number: string) =>
        sources.find(({ id }) => id === number)?.url.split('#')[0] ?? '';
      const isRelevant = (path: string) => relevant.includes(path);
      counts.questions += 1;
      counts.quotes += quotes.length;
      counts.characters += quotes.reduce((sum, quote) => sum + quote.markdown.length, 0);
      if (quotes.length === 0) counts.nothing += 1;
      if (isRelevant(found.pages[0]?.path ?? '')) counts.engine += 1;
      if (quotes[0] && isRelevant(pathOf(quotes[0].number))) counts.first += 1;
      if (quotes.some((quote) => isRelevant(pathOf(quote.number)))) counts.any += 1;
      const wanted = (rest as Sections).sections?.[0];
      if (wanted) {
        counts.labelled += 1;
        const hit = quotes.some(
          (quote) => pathOf(quote.number) === wanted.path && quote.title.endsWith(wanted.heading),
        );
        if (hit) counts.section += 1;
      }
      if (shown > 0 && quotes.length > 0 && counts.questions % 7 === 0) {
        shown -= 1;
        const text = quotes
          .map((quote) => `[${pathOf(quote.number)} › ${quote.title}]\n${quote.markdown}`)
          .join('\n---\n');
        console.log(`\n##### ${question}  (${relevant.join(', ')})\n${text}\n`);
      }
    }
    const share = (count: number, of = counts.questions) =>
      of === 0 ? '–' : (count / of).toFixed(3);
    console.log(
      `${corpus.padEnd(10)} n ${counts.questions}  engine's first page right ${share(counts.engine)}  first quote ${share(counts.first)}  ` +
        `any quote ${share(counts.any)}  labelled section ${share(counts.section, counts.labelled)}  nothing ${share(counts.nothing)}  ` +
        `${(counts.quotes / counts.questions).toFixed(1)} quotes, ${Math.round(counts.characters / counts.questions)} characters`,
    );
  }
  await retriever.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
