/**
 * Measures whether a change of the ranker helps documentation in general. Run it by hand:
 *   git worktree add ../before main
 *   node tests/bench/generality.bench.ts --against ../before [--docs ../shared/retrieval] [--sites <folder>]
 * Compares two checkouts over every labelled set and over questions derived from each corpus and from
 * each folder of Markdown below `--sites`. Accept a change when the macro average rises and no set
 * falls by more than chance (the interval is a paired bootstrap over questions).
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type * as engineModule from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { deriveSet, readSite } from './retrieval-derived.ts';
import type { DerivedSet, SourcePage } from './retrieval-derived.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';
import { scoreQuestion } from './retrieval-metric.ts';

type Engine = Pick<typeof engineModule, 'createEmbeddedRetriever'>;
type Scored = Map<string, { ndcg: number[]; recall: number[] }>;

/** Smaller sets are skipped. */
const minQuestions = 15;
const resamples = 2000;

const { values } = parseArgs({
  options: {
    docs: { type: 'string' },
    sites: { type: 'string' },
    against: { type: 'string' },
  },
});
const here = join(import.meta.dirname, '../..');
const root = resolve(values.docs ?? join(here, '../shared/retrieval'));
const sets = await readSets();
const now = await score(here);
const before = values.against === undefined ? undefined : await score(resolve(values.against));
print(now, before);

async function readSets(): Promise<DerivedSet[]> {
  const corpora = await readCorpora(root);
  const questions = await readQuestions(root);
  const labelled = [...corpora].map(([corpus, pages]) => ({
    pages,
    questions: questions.filter((one) => one.corpus === corpus),
  }));
  const derived: DerivedSet[] = [];
  for (const corpus of corpora.keys()) {
    const lines = (await readFile(join(root, 'docs', `${corpus}.jsonl`), 'utf8')).split('\n');
    const sources = lines.filter(Boolean).map((line) => {
      const page = JSON.parse(line) as SourcePage;
      return { ...page, file: `${page.path.replace(/^\/|\/$/g, '')}.md` };
    });
    derived.push(deriveSet(`derived ${corpus}`, sources));
  }
  for (const name of values.sites === undefined ? [] : await readdir(values.sites))
    derived.push(deriveSet(name, await readSite(join(values.sites ?? '', name))));
  return [...labelled, ...derived];
}

/** nDCG@10 and recall@5 of each question with the embedded engine of one checkout. */
async function score(checkout: string): Promise<Scored> {
  const file = join(checkout, 'server/src/retrieval/embedded/embedded-retriever.ts');
  const { createEmbeddedRetriever } = (await import(file)) as Engine;
  const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
  const retriever = createEmbeddedRetriever({ folder });
  const scores: Scored = new Map();
  for (const [number, { pages, questions }] of sets.entries()) {
    await retriever.apply(`set${number}`, { upsert: pages, remove: [] });
    for (const { corpus, question, relevant } of questions) {
      const found = await retriever.search(`set${number}`, { text: question, pageSize: 10 });
      const paths = found.pages.map((page) => page.path);
      const { ndcg, recall } = scoreQuestion(relevant, paths);
      const list = scores.get(corpus) ?? { ndcg: [], recall: [] };
      list.ndcg.push(ndcg);
      list.recall.push(recall);
      scores.set(corpus, list);
    }
  }
  await retriever.close();
  await rm(folder, { recursive: true });
  return scores;
}

function print(scores: Scored, old: Scored | undefined): void {
  console.log('set                            n   nDCG@10  recall@5   change of nDCG@10 (95 %)');
  const changes: number[] = [];
  for (const [set, { ndcg, recall }] of scores) {
    if (ndcg.length < minQuestions) continue;
    const differences = old?.get(set)?.ndcg.map((value, at) => (ndcg[at] ?? 0) - value);
    if (differences) changes.push(mean(differences));
    console.log(
      `${set.padEnd(28)} ${String(ndcg.length).padStart(4)}   ${mean(ndcg).toFixed(3)}    ${mean(recall).toFixed(3)}      ${differences ? interval(differences) : ''}`,
    );
  }
  if (changes.length > 0)
    console.log(
      `macro average of the change: ${signed(mean(changes))} over ${changes.length} sets`,
    );
}

function interval(differences: number[]): string {
  let state = 12_345;
  const random = (): number => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) / 2 ** 32;
  const means = Array.from({ length: resamples }, () =>
    mean(differences.map(() => differences[Math.floor(random() * differences.length)] ?? 0)),
  ).sort((a, b) => a - b);
  const low = means[Math.floor(resamples * 0.025)] ?? 0;
  const high = means[Math.floor(resamples * 0.975)] ?? 0;
  return `${signed(mean(differences))} (${signed(low)} … ${signed(high)})${high < 0 ? ' WORSE' : ''}`;
}

function mean(list: number[]): number {
  return list.reduce((sum, value) => sum + value, 0) / (list.length || 1);
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
