/**
 * Asks a site its test questions and measures what is found, refused, and cited. Nothing is stored, and
 * budgets don't count it. A configured model is really called, and costs money.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { citedNumbers } from '@docent/shared/citations';
import type { AnswerStatus } from '@docent/shared/stream';
import type { AnswerDeps } from '../../reader/ask/answer.ts';
import { askUnstored, callerFor, plainQuestion, unpaid } from '../../reader/ask/ask-unstored.ts';
import type { Question } from '../../reader/ask/question.ts';
import { arrange, findReaderPages } from '../../reader/ask/reader-pages.ts';
import { prepareQuery, toSearchQuery } from '../../reader/ask/search-query.ts';
import { createPaidSearch } from '../../reader/search/paid-search.ts';
import type { Retriever, SearchQuery, SearchResult } from '../../retrieval/retriever.ts';
import { normalizePath } from '../../retrieval/page-path.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Words } from '../../reader/words/words.ts';
import type { EvalQuestion } from './eval-set.ts';
import { mean, type Ranked, scoreRanking } from './metrics.ts';

export interface RetrievalScore extends Ranked {
  questions: number;
  /** With an embedder: what words alone find, and vectors alone. The rest is both together. */
  words?: Ranked;
  vectors?: Ranked;
}

type Rankings = { both: Ranked } & Partial<Record<'words' | 'vectors', Ranked>>;

export interface Refused {
  questions: number;
  /** Share that wasn't answered. */
  recall: number;
}

export interface Evaluation {
  /** For questions that stand alone, for follow-ups, and for questions asked from a page. */
  retrieval: Partial<Record<'questions' | 'followUps' | 'fromPage', RetrievalScore>>;
  answers?: {
    /** Share refused, of the questions that the documentation doesn't answer. */
    refusalRecall: number | undefined;
    /** The same for questions that are off topic, and for those that the documentation lacks. */
    offTopic?: Refused;
    uncovered?: Refused;
    /** Share refused, of the questions that the documentation answers. */
    falseRefusals: number | undefined;
    /** Share of these that was called off topic, or not in the documentation. */
    falselyOffTopic: number | undefined;
    falselyUncovered: number | undefined;
    /** Share of the cited numbers that belong to a source. */
    validCitations: number;
    failed: number;
  };
  /** Test lists of pinned answers, and questions that name what they get. Absent: there are none. */
  words?: { tests: number; failures: string[] };
}

export type EvalDeps = Pick<AnswerDeps, 'models' | 'log'> & {
  retriever: Retriever;
  words: Words;
};

const pageSize = 10;
const notAnswered: readonly Status[] = ['unanswered', 'refused'];

export async function evaluate(
  site: Site,
  questions: readonly EvalQuestion[],
  deps: EvalDeps,
  { withAnswers = true, onProgress = (_done: number) => {} } = {},
): Promise<Evaluation> {
  const ranked = { questions: [], followUps: [], fromPage: [] } as Record<Kind, Rankings[]>;
  const modes = (await hasVectors(site, deps.retriever)) ? (['words', 'vectors'] as const) : [];
  const answered: { one: EvalQuestion; status: Status }[] = [];
  const cited = { all: 0, valid: 0 };
  let failed = 0;
  const words = await testWords(site, questions, deps.words);
  for (const [index, one] of questions.entries()) {
    if (one.pinned) continue;
    if (one.relevant.length > 0) {
      const score = async (only?: SearchQuery['only']): Promise<Ranked> => {
        const found = await search(site, one, deps, withAnswers, only);
        return scoreRanking(
          one.relevant,
          found.pages.map((page) => normalizePath(page.path)),
        );
      };
      const scores: Rankings = { both: await score() };
      for (const only of modes) scores[only] = await score(only);
      ranked[kindOf(one)].push(scores);
    }
    if (withAnswers) {
      try {
        const { status, numbers, sources } = await ask(site, one, deps);
        answered.push({ one, status });
        cited.all += numbers.length;
        cited.valid += numbers.filter((number) => sources.has(number)).length;
      } catch (err) {
        failed += 1;
        deps.log.warn({ err }, 'a test question could not be answered');
      }
    }
    onProgress(index + 1);
  }
  const toldOff = (those: typeof answered, as: readonly Status[]): number | undefined =>
    those.length === 0 ? undefined : mean(those.map(({ status }) => Number(as.includes(status))));
  const silent = answered.filter(({ one }) => one.relevant.length === 0);
  const answerable = answered.filter(({ one }) => one.relevant.length > 0);
  const refusedOf = (kind: EvalQuestion['kind']): Refused | undefined => {
    const those = silent.filter(({ one }) => one.kind === kind);
    const recall = toldOff(those, notAnswered);
    return recall === undefined ? undefined : { questions: those.length, recall };
  };
  const [offTopic, uncovered] = [refusedOf('off-topic'), refusedOf('uncovered')];
  return {
    ...(words.tests > 0 && { words }),
    retrieval: Object.fromEntries(
      Object.entries(ranked)
        .filter(([, list]) => list.length > 0)
        .map(([kind, list]) => [kind, average(list)]),
    ),
    ...(withAnswers && {
      answers: {
        refusalRecall: toldOff(silent, notAnswered),
        ...(offTopic && { offTopic }),
        ...(uncovered && { uncovered }),
        falseRefusals: toldOff(answerable, notAnswered),
        falselyOffTopic: toldOff(answerable, ['refused']),
        falselyUncovered: toldOff(answerable, ['unanswered']),
        validCitations: cited.all === 0 ? 1 : cited.valid / cited.all,
        failed,
      },
    }),
  };
}

/** What the owner's words do, as far as no model is needed to know. */
async function testWords(
  { domain }: Site,
  questions: readonly EvalQuestion[],
  words: Words,
): Promise<NonNullable<Evaluation['words']>> {
  const { answers } = await words.list(domain);
  const failures = answers.flatMap((answer) => answer.failures);
  let tests = 0;
  for (const { questions: own, tests: same, notFor } of answers) {
    tests += own.length + same.length + notFor.length;
  }
  for (const { question, pinned, skills = [] } of questions) {
    if (pinned === undefined && skills.length === 0) continue;
    tests += 1;
    const gets = await words.try(domain, question);
    if (pinned !== undefined && (gets.answer !== null) !== pinned)
      failures.push(`“${question}” gets ${pinned ? 'no' : 'a'} pinned answer.`);
    const missing = skills.filter((skill) => !gets.skills.includes(skill));
    if (missing.length > 0) failures.push(`“${question}” doesn’t get ${missing.join(', ')}.`);
  }
  return { tests, failures };
}

type Status = AnswerStatus['status'];
type Kind = 'questions' | 'followUps' | 'fromPage';

function kindOf(one: EvalQuestion): Kind {
  if (one.before && one.before.length > 0) return 'followUps';
  return one.currentPath === undefined ? 'questions' : 'fromPage';
}

function average(list: Rankings[]): RetrievalScore {
  const of = (by: keyof Rankings): Ranked => {
    const at = (key: keyof Ranked): number => mean(list.flatMap((one) => one[by]?.[key] ?? []));
    return {
      recall5: at('recall5'),
      ndcg5: at('ndcg5'),
      ndcg10: at('ndcg10'),
      reciprocalRank: at('reciprocalRank'),
    };
  };
  const apart = list[0]?.words && { words: of('words'), vectors: of('vectors') };
  return { questions: list.length, ...of('both'), ...apart };
}

/** Whether the site has vectors that the embedder can compare questions with. Waits until it's warm. */
async function hasVectors(site: Site, retriever: Retriever): Promise<boolean> {
  for (;;) {
    await retriever.search(site.domain, { text: site.domain, pageSize: 1 });
    const state = retriever.embedderState();
    if (state === undefined || state === 'unknown') return false;
    if (state === 'ready') return true;
    if (state === 'unavailable') {
      throw new DocentError(
        'unavailable',
        'The embedder doesn’t answer, so hybrid search can’t be measured. Run `docent doctor --model`.',
      );
    }
    await sleep(warmUpMs);
  }
}

const warmUpMs = 2000;

function historyOf(one: EvalQuestion): Question['history'] {
  return (one.before ?? []).map((question) => ({ question, answer: '' }));
}

const toQuestion = (one: EvalQuestion, size: number): Question =>
  plainQuestion(one.question, {
    history: historyOf(one),
    currentPath: one.currentPath,
    pageSize: size,
    filter: one.filter,
  });

/** What an answer would use. A model only rewrites follow-ups if answers are evaluated too. */
async function search(
  site: Site,
  one: EvalQuestion,
  { models, log, retriever }: EvalDeps,
  withModel: boolean,
  only: SearchQuery['only'],
): Promise<SearchResult> {
  const question = toQuestion(one, pageSize);
  const { history } = question;
  const pages = await findReaderPages(question, history, site, retriever);
  const asking = {
    site,
    models: models.forSite(site),
    reservation: { add: () => undefined },
    log,
  };
  const query = withModel
    ? await prepareQuery(question, history, pages, asking, new AbortController().signal)
    : toSearchQuery(question, history, pages);
  return arrange(
    question,
    pages,
    await retriever.search(site.domain, only ? { ...query, only } : query),
  );
}

/** One answer of the site's model, as a reader would get it. */
export async function ask(
  site: Site,
  one: EvalQuestion,
  deps: EvalDeps,
): Promise<{ status: Status; numbers: string[]; sources: Set<string> }> {
  const { retriever } = deps;
  const paidSearch = createPaidSearch({ retriever, spend: unpaid, hasEmbedder: false });
  const { outcome, answer, sources } = await askUnstored(
    { question: toQuestion(one, 5), site, caller: callerFor('eval', site) },
    { ...deps, spend: unpaid, paidSearch },
    new AbortController().signal,
  );
  return {
    status: outcome?.status ?? 'unanswered',
    numbers: [...citedNumbers(answer)],
    sources: new Set(sources.map(({ id }) => id)),
  };
}
