/**
 * Asks a site its own test questions: what is found, what is refused, what is cited. Nothing is stored
 * and nothing is taken off a budget; a configured model does its work, and costs what it costs.
 */
import { citedNumbers } from '@docent/shared/citations';
import type { AnswerStatus } from '@docent/shared/stream';
import { answer, type AnswerDeps } from '../../reader/ask/answer.ts';
import type { Question } from '../../reader/ask/question.ts';
import { prepareQuery, toSearchQuery } from '../../reader/ask/search-query.ts';
import { createPaidSearch } from '../../reader/search/paid-search.ts';
import type { Retriever, SearchQuery } from '../../retrieval/retriever.ts';
import { normalizePath } from '../../retrieval/page-path.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { EvalQuestion } from './eval-set.ts';
import { mean, type Ranked, scoreRanking } from './metrics.ts';

export interface RetrievalScore extends Ranked {
  questions: number;
}

export interface Refused {
  questions: number;
  /** Share that was not answered. */
  recall: number;
}

export interface Evaluation {
  /** Questions that stand by themselves, follow-ups, and those asked from a page. */
  retrieval: Partial<Record<'questions' | 'followUps' | 'fromPage', RetrievalScore>>;
  answers?: {
    /** Of the questions that the documentation does not answer, the share that is refused. */
    refusalRecall: number | undefined;
    /** The same for those about something else, and for those about what the documentation leaves out. */
    offTopic?: Refused;
    uncovered?: Refused;
    /** Of those that it answers, the share that is refused all the same. */
    falseRefusals: number | undefined;
    /** Of these: told that they are not about the documentation, or that it does not say. */
    falselyOffTopic: number | undefined;
    falselyUncovered: number | undefined;
    /** Share of the cited numbers that are numbers of sources. */
    validCitations: number;
    failed: number;
  };
}

export type EvalParts = Pick<AnswerDeps, 'models' | 'log'> & { retriever: Retriever };

const pageSize = 10;
const notAnswered: readonly Status[] = ['unanswered', 'refused'];

export async function evaluate(
  site: Site,
  questions: readonly EvalQuestion[],
  parts: EvalParts,
  { withAnswers = true, onProgress = (_done: number) => {} } = {},
): Promise<Evaluation> {
  const ranked = { questions: [], followUps: [], fromPage: [] } as Record<Kind, Ranked[]>;
  const answered: { one: EvalQuestion; status: Status }[] = [];
  const cited = { all: 0, valid: 0 };
  let failed = 0;
  for (const [index, one] of questions.entries()) {
    if (one.relevant.length > 0) {
      const found = await parts.retriever.search(
        site.domain,
        await toQuery(site, one, parts, withAnswers),
      );
      const paths = found.pages.map((page) => normalizePath(page.path));
      ranked[kindOf(one)].push(scoreRanking(one.relevant, paths));
    }
    if (withAnswers) {
      try {
        const { status, numbers, sources } = await ask(site, one, parts);
        answered.push({ one, status });
        cited.all += numbers.length;
        cited.valid += numbers.filter((number) => sources.has(number)).length;
      } catch (err) {
        failed += 1;
        parts.log.warn({ err }, 'a test question could not be answered');
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

type Status = AnswerStatus['status'];
type Kind = 'questions' | 'followUps' | 'fromPage';

function kindOf(one: EvalQuestion): Kind {
  if (one.before && one.before.length > 0) return 'followUps';
  return one.currentPath === undefined ? 'questions' : 'fromPage';
}

function average(list: Ranked[]): RetrievalScore {
  const of = (key: keyof Ranked): number => mean(list.map((one) => one[key]));
  return {
    questions: list.length,
    recall5: of('recall5'),
    ndcg5: of('ndcg5'),
    ndcg10: of('ndcg10'),
    reciprocalRank: of('reciprocalRank'),
  };
}

function historyOf(one: EvalQuestion): Question['history'] {
  return (one.before ?? []).map((question) => ({ question, answer: '' }));
}

function toQuestion(one: EvalQuestion, size: number): Question {
  return {
    text: one.question,
    history: historyOf(one),
    threadId: undefined,
    fp: 'anonymous',
    currentPath: one.currentPath,
    context: [],
    pageSize: size,
    filter: one.filter,
    isRetry: false,
    store: false,
  };
}

/** What is looked for. A model that rewrites follow-ups is asked only where models are asked at all. */
function toQuery(
  site: Site,
  one: EvalQuestion,
  { models, log }: EvalParts,
  withModel: boolean,
): SearchQuery | Promise<SearchQuery> {
  const question = toQuestion(one, pageSize);
  if (!withModel) return toSearchQuery(question, question.history);
  const reservation = { add: () => undefined };
  const asking = { site, model: models.forSite(site.model), reservation, log };
  return prepareQuery(question, question.history, asking, new AbortController().signal);
}

/** One answer, as a reader would get it, by the site's own model. */
async function ask(
  site: Site,
  one: EvalQuestion,
  deps: EvalParts,
): Promise<{ status: Status; numbers: string[]; sources: Set<string> }> {
  const caller = {
    keyId: 'eval',
    kind: 'assistant',
    organization: site.organization,
    scopes: [],
  } as const;
  const { retriever } = deps;
  const paidSearch = createPaidSearch({ retriever, spend: unstored.spend, hasEmbedder: false });
  const parts = answer(
    { question: toQuestion(one, 5), site, caller: { ...caller, domain: site.domain } },
    { ...deps, ...unstored, paidSearch },
    new AbortController().signal,
  );
  const sources = new Set<string>();
  let text = '';
  let status: Status = 'unanswered';
  for await (const part of parts) {
    if (part.type === 'source-url') sources.add(part.sourceId);
    else if (part.type === 'text-delta') text += part.delta;
    else if (part.type === 'data-answer') status = part.data.status;
  }
  return { status, numbers: [...citedNumbers(text)], sources };
}

/** Test questions are nobody's: no thread, no budget. */
const unstored: Pick<AnswerDeps, 'threads' | 'spend'> = {
  threads: {
    open: async () => ({ threadId: 'eval', turnId: 'eval', history: [], isHistoryOurs: false }),
    end: async () => undefined,
  },
  spend: {
    reserve: async () => ({ add: () => undefined, addEmbedded: () => undefined }),
    settle: async () => undefined,
  },
};
