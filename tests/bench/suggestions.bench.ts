/**
 * What questions to go on with cost, and what they are like. By hand:
 *   node tests/bench/suggestions.bench.ts [--docs ../shared/retrieval] [--show 5]
 * For labelled questions, answered by quotations: how many suggestions an answer gets, how long it
 * takes to find them, and how long the search for the question itself took. `--show` prints that many.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { chooseQuotes } from '../../server/src/reader/extractive/extractive-model.ts';
import { toSources } from '../../server/src/reader/ask/sources.ts';
import { suggestQuestions } from '../../server/src/reader/ask/suggest.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { notFoundBelow } from '../../server/src/retrieval/retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';

const { values } = parseArgs({ options: { docs: { type: 'string' }, show: { type: 'string' } } });
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
const docs = { folder: '/', basePath: '/', pathStyle: 'clean' } as const;

try {
  const retriever = createEmbeddedRetriever({ folder });
  const corpora = await readCorpora(root);
  for (const [corpus, pages] of corpora)
    await retriever.apply(corpus, { upsert: pages, remove: [] });
  const questions = await readQuestions(root);
  for (const [corpus, pages] of corpora) {
    let left = Number(values.show ?? 0);
    const counts = [0, 0, 0, 0];
    const searchMs: number[] = [];
    const suggestMs: number[] = [];
    for (const { question } of questions.filter((each) => each.corpus === corpus)) {
      const begun = performance.now();
      const found = await retriever.search(corpus, { text: question, pageSize: 5 });
      searchMs.push(performance.now() - begun);
      if (found.confidence < notFoundBelow) continue;
      const { passages } = toSources(found.pages, docs, question);
      const quotes = chooseQuotes(question, passages);
      if (quotes.length === 0) continue;
      const cited = new Set(quotes.map(({ number }) => number));
      const started = performance.now();
      const suggested = suggestQuestions({
        asked: [question],
        found: found.pages,
        passages,
        cited,
      });
      suggestMs.push(performance.now() - started);
      counts[suggested.length] = (counts[suggested.length] ?? 0) + 1;
      if (left-- > 0) console.log(`  ${question}\n      ${suggested.join('\n      ')}`);
    }
    const passages = pages.reduce((sum, page) => sum + page.passages.length, 0);
    console.log(
      `${corpus.padEnd(12)} ${passages} passages  answers with 0, 1, 2, 3 suggestions: ${counts.join(', ')}  ` +
        `suggesting p50 ${at(suggestMs, 0.5)} p95 ${at(suggestMs, 0.95)} ms  search p50 ${at(searchMs, 0.5)} p95 ${at(searchMs, 0.95)} ms`,
    );
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

function at(values: number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
}
