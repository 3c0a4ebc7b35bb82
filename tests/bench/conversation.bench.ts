/**
 * Whether the conversation, the reader's page and what they point at help where they should, and harm
 * nowhere. By hand:
 *   node tests/bench/conversation.bench.ts [--docs ../shared/retrieval]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { arrange, findReaderPages } from '../../server/src/reader/ask/reader-pages.ts';
import { toSearchQuery } from '../../server/src/reader/ask/search-query.ts';
import type { Question as Asked } from '../../server/src/reader/ask/question.ts';
import { createEmbeddedRetriever } from '../../server/src/retrieval/embedded/embedded-retriever.ts';
import type { Page } from '../../server/src/retrieval/retriever.ts';
import { readCorpora, readQuestions } from './retrieval-data.ts';
import type { Question } from './retrieval-data.ts';
import { scoreQuestion } from './retrieval-metric.ts';

interface FollowUp {
  corpus: string;
  before: string[];
  question: string;
  /** The labelled question that says the same and stands by itself. */
  standsFor: string;
}

interface Situation {
  before?: string[];
  currentPath?: string;
  pointsAt?: string;
}

const { values } = parseArgs({ options: { docs: { type: 'string' }, show: { type: 'boolean' } } });
const root = resolve(values.docs ?? join(import.meta.dirname, '../../../shared/retrieval'));
const folder = await mkdtemp(join(tmpdir(), 'docent-bench-'));
const retriever = createEmbeddedRetriever({ folder });

try {
  const corpora = await readCorpora(root);
  const questions = await readQuestions(root);
  for (const [corpus, pages] of corpora)
    await retriever.apply(corpus, { upsert: pages, remove: [] });
  await followUps(questions);
  await standingAlone(corpora, questions);
  for (const [corpus, pages] of corpora) await ambiguous(corpus, pages);
  await pointingAt(corpora, questions);
} finally {
  await retriever.close();
  await rm(folder, { recursive: true, force: true });
}

async function find(corpus: string, text: string, given: Situation = {}): Promise<string[]> {
  const question: Asked = {
    text,
    history: [],
    threadId: undefined,
    fp: 'anonymous',
    currentPath: given.currentPath,
    context:
      given.pointsAt === undefined
        ? []
        : [{ type: 'textSelection', value: given.pointsAt, path: undefined, elementId: undefined }],
    pageSize: 10,
    filter: undefined,
    isRetry: false,
    store: true,
  };
  const history = (given.before ?? []).map((earlier) => ({ question: earlier, answer: '' }));
  const site = { domain: corpus, docs: {} };
  const pages = await findReaderPages(question, history, site, retriever);
  const found = await retriever.search(corpus, toSearchQuery(question, history, pages));
  return arrange(question, pages, found).pages.map((page) => page.path);
}

/** Row A14: recall@5 within .05 of the stand-alone form. */
async function followUps(questions: Question[]): Promise<void> {
  const text = await readFile(join(import.meta.dirname, 'follow-ups.jsonl'), 'utf8');
  const cases = text.split('\n').filter(Boolean);
  const sums = { alone: 0, followUp: 0, without: 0 };
  for (const line of cases) {
    const { corpus, before, question, standsFor } = JSON.parse(line) as FollowUp;
    const labelled = questions.find((one) => one.id === standsFor);
    if (!labelled) throw new Error(`No question has the id ${standsFor}`);
    const recall = (paths: string[]) => scoreQuestion(labelled.relevant, paths).recall;
    sums.alone += recall(await find(corpus, labelled.question));
    const now = recall(await find(corpus, question, { before }));
    sums.followUp += now;
    sums.without += recall(await find(corpus, question));
    if (values.show) console.log(now.toFixed(2), question);
  }
  const share = (sum: number) => (sum / cases.length).toFixed(3);
  console.log(
    `${cases.length} follow-ups, recall@5: stand-alone form ${share(sums.alone)}, in its conversation ${share(sums.followUp)}, without it ${share(sums.without)}`,
  );
}

/** No harm to questions that stand by themselves: another conversation before, an irrelevant page, selection. */
async function standingAlone(corpora: Map<string, Page[]>, questions: Question[]): Promise<void> {
  const kinds: Record<string, (question: Question, at: number) => Situation> = {
    'nothing else': () => ({}),
    'another topic before': (question, at) => ({
      before: [another(questions, question, at).question],
    }),
    'an irrelevant page': (question, at) => ({
      currentPath: another(questions, question, at).relevant[0] ?? '',
    }),
    'an irrelevant selection': (question, at) => ({
      pointsAt: passageOf(corpora, another(questions, question, at), at),
    }),
    'its own page': (question) => ({ currentPath: question.relevant[0] ?? '' }),
    'its own passage': (question, at) => ({ pointsAt: passageOf(corpora, question, at) }),
  };
  for (const [kind, situation] of Object.entries(kinds)) {
    const scores: { ndcg: number; recall: number }[] = [];
    for (const [at, question] of questions.entries()) {
      const paths = await find(question.corpus, question.question, situation(question, at));
      scores.push(scoreQuestion(question.relevant, paths));
    }
    const mean = (key: 'ndcg' | 'recall') =>
      (scores.reduce((sum, one) => sum + one[key], 0) / scores.length).toFixed(3);
    console.log(
      `${scores.length} stand-alone questions with ${kind}: nDCG@10 ${mean('ndcg')} recall@5 ${mean('recall')}`,
    );
  }
}

function another(questions: Question[], question: Question, at: number): Question {
  const same = questions.filter(
    (one) => one.corpus === question.corpus && one.relevant[0] !== question.relevant[0],
  );
  return same[(at * 31) % same.length] ?? question;
}

function passageOf(corpora: Map<string, Page[]>, question: Question, at: number): string {
  const page = corpora.get(question.corpus)?.find((one) => one.path === question.relevant[0]);
  return page?.passages[at % page.passages.length]?.markdown.slice(0, 600) ?? '';
}

/** Row A15: headings that stand on several pages, asked for from one of them, and from beside it. */
async function ambiguous(corpus: string, pages: Page[]): Promise<void> {
  const places = new Map<string, Set<string>>();
  for (const { path, passages } of pages)
    for (const { heading, anchor } of passages)
      if (anchor) places.set(heading, (places.get(heading) ?? new Set()).add(path));
  const cases = [...places]
    .filter(([heading, paths]) => paths.size > 1 && paths.size < 20 && heading.length > 3)
    .flatMap(([heading, paths]) => [...paths].slice(0, 3).map((path) => ({ heading, path })))
    .slice(0, 150);
  const sums = { without: 0, page: 0, beside: 0 };
  for (const [at, { heading, path }] of cases.entries()) {
    const beside = pages.filter((page) => page.path !== path && parent(page.path) === parent(path));
    const besidePath = beside[at % (beside.length || 1)]?.path ?? path;
    const rank = (paths: string[]) => (paths.includes(path) ? 1 / (paths.indexOf(path) + 1) : 0);
    sums.without += rank(await find(corpus, heading));
    sums.page += rank(await find(corpus, heading, { currentPath: path }));
    sums.beside += rank(await find(corpus, heading, { currentPath: besidePath }));
  }
  const share = (sum: number) => (sum / (cases.length || 1)).toFixed(3);
  console.log(
    `${corpus}: ${cases.length} ambiguous questions, MRR: without a path ${share(sums.without)}, from the page ${share(sums.page)}, from beside it ${share(sums.beside)}`,
  );
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** "What does this mean?" with a passage selected, and with a question that says a little. */
async function pointingAt(corpora: Map<string, Page[]>, questions: Question[]): Promise<void> {
  for (const text of [
    'What does this mean?',
    'How do I use this?',
    'Can you give me an example?',
  ]) {
    let found = 0;
    for (const [at, question] of questions.entries()) {
      const pointsAt = passageOf(corpora, question, at);
      const paths = await find(question.corpus, text, { pointsAt });
      if (paths.slice(0, 5).includes(question.relevant[0] ?? '')) found += 1;
    }
    console.log(
      `"${text}" with a passage selected: its page among five ${(found / questions.length).toFixed(3)}`,
    );
  }
}
