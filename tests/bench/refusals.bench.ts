/**
 * How well the search knows that a site doesn't answer a question. By hand:
 *   node tests/bench/refusals.bench.ts [--docs ../shared/retrieval]
 * Prints the share of questions below `notFoundBelow`: a site's own ones, the other sites' questions, and
 * the off-topic and uncovered ones of two sets that nothing was fitted on (`tests/eval/en-held-out` and
 * `uncovered.jsonl`).
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import { notFoundBelow } from '../../server/src/retrieval/retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';

const { values } = parseArgs({ options: { docs: { type: 'string' } } });
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));

interface Line {
  question: string;
  corpus?: string;
  kind?: string;
}

async function readLines(file: string): Promise<Line[]> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
}

try {
  const retriever = createEmbeddedRetriever({ folder });
  const corpora = await readCorpora(root);
  const asked = await readQuestions(root);
  const uncovered = await readLines('uncovered.jsonl');
  const offTopic = (await readLines('../eval/en-held-out.eval.jsonl')).filter(
    ({ kind }) => kind === 'off-topic',
  );
  console.log('refused        own    other sites’  off-topic  uncovered');
  const all: number[][] = [];
  for (const [corpus, pages] of corpora) {
    await retriever.apply(corpus, { upsert: pages, remove: [] });
    const refusedOf = async (questions: Line[]): Promise<number> => {
      let refused = 0;
      for (const { question } of questions) {
        const { confidence } = await retriever.search(corpus, { text: question, pageSize: 5 });
        if (confidence < notFoundBelow) refused += 1;
      }
      return refused / questions.length;
    };
    const own = asked.filter((one) => one.corpus === corpus);
    const others = asked.filter((one) => one.corpus !== corpus);
    const lacking = uncovered.filter((one) => one.corpus === corpus);
    const shares: number[] = [];
    for (const set of [own, others, offTopic, lacking]) shares.push(await refusedOf(set));
    print(corpus, shares);
    all.push(shares);
  }
  const mean = (at: number): number =>
    all.reduce((sum, shares) => sum + (shares[at] ?? 0), 0) / all.length;
  print('mean', [0, 1, 2, 3].map(mean));
  await retriever.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}

function print(name: string, shares: number[]): void {
  const [own = '', others = '', off = '', lacking = ''] = shares.map((share) => share.toFixed(3));
  console.log(`${name.padEnd(12)}   ${own}  ${others}         ${off}      ${lacking}`);
}
