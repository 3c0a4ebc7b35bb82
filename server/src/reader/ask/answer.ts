import { citedNumbers } from '@docent/shared/citations';
import type { AnswerPart } from '@docent/shared/stream';
import type { Logger } from '../../platform/log.ts';
import { isExtractive, type Models } from '../../platform/models/model.ts';
import { type ModelTimeouts, readModel } from '../../platform/models/read-model.ts';
import { notFoundBelow, type Retriever, type SearchResult } from '../../retrieval/retriever.ts';
import type { Caller } from '../../platform/auth/key-store.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { expectedUsage } from '../../platform/budgets/estimate.ts';
import type { PaidSearch } from '../search/paid-search.ts';
import type { Expense, Spend } from '../../platform/budgets/spend.ts';
import { type AnswerTrace, traceAnswer } from './answer-trace.ts';
import { createAnswerMark } from '../output-filter/answer-mark.ts';
import { type ModelQuestion, toCall, usageOf } from './model-call.ts';
import { promptVersion } from './prompt.ts';
import type { Question } from './question.ts';
import { createReaderText } from './reader-text.ts';
import { prepareQuery } from './rewrite.ts';
import { suggestQuestions } from './suggest.ts';
import { toSources } from './sources.ts';
import type { EndedTurn, NewTurn, OpenTurn, Source, Threads } from '../conversations/threads.ts';

export interface AnswerParts {
  retriever: Retriever;
  paidSearch: Pick<PaidSearch, 'search' | 'searchOn'>;
  models: Models;
  threads: Pick<Threads, 'open' | 'end'>;
  spend: Pick<Spend, 'assertOpen' | 'record'>;
  log: Logger;
  metrics?: Pick<Metrics, 'answered'>;
  tracing?: Tracing;
  patience?: ModelTimeouts;
}

export interface OpenAnswer {
  threadId: string;
  /** The id of this answer: nobody can guess it. */
  messageId: string;
  /** Reads to its end, or until `signal` fires; rejects where the model fails. Either way the turn is stored. */
  stream: AsyncGenerator<AnswerPart, void, undefined>;
}

/**
 * Answers one question. What can go wrong before the first byte (a budget that is used up, an unknown
 * thread, search that is down) rejects here, so that the caller gets a status and not a broken stream.
 */
export async function openAnswer(
  question: Question,
  site: Site,
  caller: Caller,
  parts: AnswerParts,
  signal: AbortSignal,
  names: Pick<NewTurn, 'chat' | 'note'> = {},
): Promise<OpenAnswer> {
  const startedAt = performance.now();
  const model = parts.models.forSite(site.model);
  const { keyId, organization } = caller;
  const payer = { keyId, organization, domain: site.domain };
  const expense = await parts.spend.assertOpen({
    ...payer,
    model: isExtractive(model) ? undefined : site.model,
    expected: expectedUsage(question),
  });
  let turn: OpenTurn;
  try {
    turn = await parts.threads.open({
      threadId: question.threadId,
      domain: site.domain,
      fp: question.fp,
      question: question.text,
      context: question.context,
      currentPath: question.currentPath,
      filter: question.filter,
      isStored: question.store && site.privacy.store,
      model: `${model.provider}/${model.modelId}`,
      isRetry: question.isRetry,
      questionId: question.questionId,
      replaces: question.replaces,
      ...names,
    });
  } catch (error) {
    await parts.spend.record(expense);
    throw error;
  }
  const { isHistoryOurs } = turn;
  const history = isHistoryOurs ? turn.history : question.history;
  const trace = traceAnswer(parts.tracing, site.domain, model);
  try {
    const searchedAt = performance.now();
    const asking = { site, model, expense, log: parts.log };
    const query = await prepareQuery(question, history, asking, signal);
    const found = await trace.search(() =>
      isExtractive(model)
        ? parts.paidSearch.search(payer, query, signal)
        : parts.paidSearch.searchOn(expense, site.domain, query, signal),
    );
    const times = { startedAt, searchMs: performance.now() - searchedAt };
    const opened = { question, site, model, expense, turn, history, isHistoryOurs, found, trace };
    const { threadId, turnId: messageId } = turn;
    return { threadId, messageId, stream: answer({ ...opened, ...times }, parts, signal) };
  } catch (error) {
    await parts.spend.record(expense);
    const result = ended(signal.aborted ? 'stopped' : 'failed', '', []);
    if (!signal.aborted) trace.failed(error);
    trace.end(result);
    await parts.threads.end(turn.turnId, result);
    throw error;
  }
}

/** A question with all that its answer is made from. */
interface Asked extends ModelQuestion {
  expense: Expense;
  turn: OpenTurn;
  found: SearchResult;
  trace: AnswerTrace;
  /** By the clock of `performance`. */
  startedAt: number;
  searchMs: number;
}

async function* answer(
  asked: Asked,
  parts: AnswerParts,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, void, undefined> {
  const { question, site, model, expense, turn, found, trace } = asked;
  const isFound = found.pages.length > 0 && found.coverage >= notFoundBelow;
  const { sources, passages, quotes } = toSources(found.pages, site.docs, question.text);
  const toPart = (source: Source) => toSourcePart(source, quotes.get(source));
  const result = ended('stopped', '', []);
  const messageMetadata = { threadId: turn.threadId };
  // The built-in model answers or does not; any other is asked to say which.
  const mark = isExtractive(model) ? undefined : createAnswerMark();
  const call = toCall(asked, passages, isFound, mark);
  const text = createReaderText({
    site,
    question: question.text,
    sources,
    passages,
    isFound,
    mark,
  });
  parts.log.debug({ turnId: turn.turnId, promptVersion }, 'answer begins');
  /** Everything that the model wrote, whether a reader saw it or not: it has to be paid. */
  let written = '';
  /** Stored and paid, before anybody hears that it has ended. */
  const end = async () => {
    // A model that refused, or broke before its first word, is not paid.
    const isPaid = signal.aborted || written !== '' || result.inputTokens !== undefined;
    if (isPaid) expense.add(usageOf(result, written, call.prompt));
    await parts.spend.record(expense);
    await parts.threads.end(turn.turnId, result);
    parts.metrics?.answered({
      domain: site.domain,
      status: result.status,
      outcome: result.outcome?.status,
      firstTextMs,
      searchMs: asked.searchMs,
      inputTokens: result.inputTokens,
      outputTokens: result.outputTokens,
    });
  };
  let areSourcesSent = false;
  let isOpen = false;
  let firstTextMs: number | undefined;
  /**
   * Sources stand before the text, unless there is nothing that the text could rest on. Its parts are
   * yielded one by one: `yield*` would cost each token three promises more.
   */
  function* say(shown: string): Generator<AnswerPart, void, undefined> {
    if (shown === '') return;
    if (!isOpen) {
      if (text.mayNameSources) yield* sources.map(toPart);
      areSourcesSent = text.mayNameSources;
      if (areSourcesSent) result.sources = sources;
      yield { type: 'text-start', id: '0' };
    }
    isOpen = true;
    firstTextMs ??= performance.now() - asked.startedAt;
    result.answer += shown;
    yield { type: 'text-delta', id: '0', delta: shown };
  }

  try {
    yield { type: 'start', messageId: turn.turnId, messageMetadata };
    yield { type: 'start-step' };

    let reason = 'stop';
    trace.asks();
    for await (const event of readModel(model, { ...call, abortSignal: signal }, parts.patience)) {
      if (event.type === 'text') {
        written += event.text;
        for (const part of say(text.push(event.text))) yield part;
      } else {
        reason = event.reason;
        result.inputTokens = event.usage.inputTokens.total;
        result.outputTokens = event.usage.outputTokens.total;
        trace.finished(reason, result);
      }
    }
    for (const shown of text.end(reason)) for (const part of say(shown)) yield part;
    yield { type: 'text-end', id: '0' };

    const status = text.statusOf(result.answer);
    if (status !== 'answered' || !areSourcesSent) {
      // Those that a text does use are its sources all the same; a refusal has none.
      const cited = status === 'refused' ? new Set() : citedNumbers(result.answer);
      result.sources = sources.filter((source) => cited.has(source.id));
      if (!areSourcesSent) yield* result.sources.map(toPart);
    }
    result.outcome = { status, confidence: Math.round(found.coverage * 100) / 100 };
    yield {
      type: 'data-answer',
      data: {
        ...result.outcome,
        mode: isExtractive(model) || text.isQuoted ? 'extractive' : 'model',
        ...(found.isFallback && { search: 'fallback' }),
      },
    };
    if (site.suggestFollowUps && isFound && status === 'answered') {
      const questions = suggestQuestions({
        asked: [question.text, ...asked.history.map((past) => past.question)],
        found: found.pages,
        passages,
        cited: citedNumbers(result.answer),
      });
      if (questions.length > 0) yield { type: 'data-suggestions', data: { questions } };
    }
    yield { type: 'finish-step' };
    result.status = 'complete';
    // Stored before `finish` is said: a follow-up that comes at once finds this turn.
    await end();
    // Quoting costs no tokens.
    const usage = isExtractive(model) ? {} : { usage: usageOf(result, written, call.prompt) };
    yield { type: 'finish', messageMetadata, ...usage };
  } catch (error) {
    if (!signal.aborted) {
      result.status = 'failed';
      trace.failed(error);
    }
    throw error;
  } finally {
    // Also where the reader left: the generator is then ended at its last `yield`.
    trace.end(result, firstTextMs);
    if (result.status !== 'complete') await end();
  }
}

function toSourcePart({ id, url, title }: Source, quote: string | undefined): AnswerPart {
  const part = { type: 'source-url', sourceId: id, url, title } as const;
  return quote ? { ...part, providerMetadata: { docent: { quote } } } : part;
}

function ended(status: EndedTurn['status'], answer: string, sources: Source[]): EndedTurn {
  return { status, answer, sources, inputTokens: undefined, outputTokens: undefined };
}
