/**
 * Measures how well and how fast the engines find pages. Run it by hand:
 *   node tests/bench/retrieval.bench.ts [--docs ../shared/retrieval] [--run run.jsonl]   quality
 *   node tests/bench/retrieval.bench.ts --size 100000 [--docs ../shared/retrieval]       speed and memory
 * Both with `--engine meilisearch` (MEILI_URL and MEILI_MASTER_KEY, or `meilisearch` on the path), and with
 * `--embedder http://127.0.0.1:8080/v1 --dimensions 384` for hybrid search.
 * The folder holds `docs/<corpus>.jsonl` and `questions*.jsonl`; it is not part of the repository.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCorpora, readQuestions, type Section } from './retrieval-data.ts';
import { bestSections } from '../../server/src/reader/ask/reader-pages.ts';
import type { FoundPage, Retriever } from '../../server/src/retrieval/retriever.ts';
import { type BenchEngine, engineOptions, openBenchEngine } from './retrieval-engine.ts';
import { scoreQuestion } from './retrieval-metric.ts';
import type { Score } from './retrieval-metric.ts';
import { measureSpeed } from './retrieval-speed.ts';

/** nDCG@10 and recall@5 of the best library and of FTS5 and MiniSearch, as far as they were measured. */
const references: Record<string, string> = {
  'ray-libs': 'target .540 / .640, best library .468 / .582',
  mintlify: 'target .850 / .920, best library .781 / .885',
  anthropic: 'no reference',
};

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    run: { type: 'string' },
    size: { type: 'string' },
    ...engineOptions,
  },
});
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
let engine: BenchEngine | undefined;
try {
  engine = await openBenchEngine(values, folder);
  if (values.size === undefined) await measureQuality(engine.open());
  else await measureSpeed(root, folder, Number(values.size), engine, values.engine);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await engine?.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measureQuality(retriever: Retriever): Promise<void> {
  const corpora = await readCorpora(root);
  const questions = await readQuestions(root);
  const started = performance.now();
  for (const [corpus, pages] of corpora)
    await retriever.apply(corpus, { upsert: pages, remove: [] });
  console.log(`indexed in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  const scores = new Map<string, Score[]>();
  const run: string[] = [];
  const sectionHits = { questions: 0, found: 0, pages: 0, anchors: 0 };
  for (const { id, corpus, question, relevant, sections } of questions) {
    const found = await retriever.search(corpus, { text: question, pageSize: 10 });
    const pages = found.pages.map((page) => page.path);
    run.push(JSON.stringify({ id, pages }));
    scores.set(corpus, [...(scores.get(corpus) ?? []), scoreQuestion(relevant, pages)]);
    if (!sections) continue;
    const five = await retriever.search(corpus, { text: question, pageSize: 5 });
    countSections(sections, bestSections(five.pages, 5));
  }
  await retriever.close();
  console.log('corpus         questions  nDCG@10  recall@5');
  for (const [corpus, list] of scores) print(corpus, list, references[corpus] ?? '');
  print('all', [...scores.values()].flat(), '');
  const { questions: count, found, pages, anchors } = sectionHits;
  console.log(
    `labeled sections: ${count}; among the five of an answer ${(found / count).toFixed(3)}; ` +
      `first source of its page ${(anchors / pages).toFixed(3)} of ${pages}`,
  );
  if (values.run) await writeFile(values.run, `${run.join('\n')}\n`);

  function countSections(labels: readonly Section[], shown: FoundPage[]): void {
    const sources = shown.flatMap(({ path, passages }) =>
      passages.map(({ heading }) => ({ path, heading })),
    );
    const isLabeled = (one: Section): boolean =>
      labels.some(({ path, heading }) => path === one.path && heading === one.heading);
    const first = sources.find((one) => labels.some(({ path }) => path === one.path));
    sectionHits.questions += 1;
    if (sources.some(isLabeled)) sectionHits.found += 1;
    if (first) sectionHits.pages += 1;
    if (first && isLabeled(first)) sectionHits.anchors += 1;
  }
}

function print(name: string, list: Score[], note: string): void {
  const mean = (key: keyof Score): string =>
    (list.reduce((sum, one) => sum + one[key], 0) / list.length).toFixed(3);
  console.log(
    `${name.padEnd(14)} ${String(list.length).padStart(9)}  ${mean('ndcg')}    ${mean('recall')}     ${note}`,
  );
}
