import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { citedNumbers } from '@docent/shared/citations';
import type { SearchFilter } from '@docent/shared/assistant';
import type { AnswerPart, FinishReason } from '@docent/shared/stream';
import { DatabaseUnavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import {
  isExtractive,
  type Model,
  type Models,
  type NamedModel,
} from '../../platform/models/model.ts';
import { retry, type RetryOptions } from '../../platform/network/retry.ts';
import { readModel } from '../../platform/models/read-model.ts';
import {
  type FoundPage,
  notFoundBelow,
  type Retriever,
  type SearchQuery,
} from '../../retrieval/retriever.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Indexer } from '../../docs/indexer/indexer.ts';
import { estimatePrompt, estimateTokens, expectedUsage } from '../../budgets/cost.ts';
import type { PaidSearch } from '../search/paid-search.ts';
import type { Spend } from '../../budgets/spend.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Tracing } from '../../platform/telemetry/tracing.ts';
import { traceAnswer } from './answer-trace.ts';
import { createStatusLine } from '../output-filter/status-line.ts';
import { askBackModel, settleVersion, toQuestion, toText, withChoice } from './ask-back.ts';
import { bestSections, arrange, findReaderPages } from './reader-pages.ts';
import { fitPrompt, type Sides } from './fit-prompt.ts';
import { createRepetition, type LeftOut } from '../output-filter/vet-text.ts';
import { createOutputFilter } from '../output-filter/output-filter.ts';
import { type NumberedPassage, promptVersion, toPrompt } from './prompt.ts';
import type { Question } from './question.ts';
import { prepareQuery } from './search-query.ts';
import { toSources } from './sources.ts';
import { suggestQuestions } from './suggest.ts';
import type { EndedTurn, NewTurn, OpenTurn, Source, Threads } from '../conversations/threads.ts';
import type { Caller } from '../../platform/auth/caller.ts';
import { pinnedModel, type Words } from '../words/words.ts';

export interface AnswerDeps {
  retriever: Pick<Retriever, 'page'>;
  paidSearch: PaidSearch;
  models: Pick<Models, 'forSite'>;
  /** The playground has a stand-in for the first, an evaluation for both. They store nothing. */
  threads: Pick<Threads, 'open' | 'end'>;
  spend: Pick<Spend, 'reserve' | 'settle'>;
  /** An evaluation has none. */
  indexer?: { runs: Pick<Indexer['runs'], 'stampOf'> };
  /** What the owner says. */
  words: Pick<Words, 'of'>;
  log: Logger;
  metrics?: Metrics;
  tracing?: Tracing;
}

/** A question with who asks it, and where. */
export interface Asked extends Pick<NewTurn, 'chat' | 'note'> {
  question: Question;
  site: Site;
  caller: Caller;
  /** Told what leads to the answer, as it comes about. */
  onStep?: (step: Partial<AnswerSteps>) => void;
  /** Whether the answer may be a question back: somebody is there to reply. */
  asksBack?: boolean;
}

/** What leads to an answer. */
export interface AnswerSteps {
  query: SearchQuery;
  /** What the search found. */
  candidates: FoundPage[];
  passages: NumberedPassage[];
  /** The ID of the pinned answer, which led to the answer alone. */
  pinned: string;
  /** The names of the owner's skills in the prompt. */
  skills: string[];
  /** What the model was sent; the built-in model gets none. */
  prompt: LanguageModelV4Prompt;
  /** Everything that the model wrote, whether a reader saw it or not. */
  written: string;
  /** The name of a model whose server dropped a part of the prompt. */
  dropped: string | undefined;
  /** The model began to repeat itself. */
  isRepeated: boolean;
  /** Why a reader gets nothing of what the model wrote. */
  leftOut: LeftOut | undefined;
}

/** No model that keeps to its limit of tokens writes so much. It bounds the memory of an answer. */
const maxAnswerCharacters = 256 * 1024;

/** An answer that its reader has seen is worth some seconds of waiting for the database. */
const whileAway: RetryOptions = {
  policy: { attempts: 5, baseMs: 200, capMs: 2_000 },
  isRetryable: (error) => error instanceof DatabaseUnavailable,
};

/**
 * Answers one question, from the budget to the stored turn. The first part comes once nothing but the
 * model can fail any more: what rejects before it (a budget that is used up, an unknown thread, search
 * that is down) becomes an HTTP status. However the answer ends, its turn is stored and its cost settled.
 */
export async function* answer(
  { question: given, site, caller, chat, note, onStep, asksBack = false }: Asked,
  deps: AnswerDeps,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart, void, undefined> {
  const startedAt = performance.now();
  const { spend, threads, paidSearch, retriever, log } = deps;
  const models = deps.models.forSite(site);
  /** The model that is asked now: the site's, or its fallback. */
  let [{ name: modelName, model, server }] = models;
  const maxTokens = Math.max(...models.map((each) => each.maxTokens));
  const isBuiltIn = isExtractive(model);
  const payer = { callerId: caller.id, organization: caller.organization, domain: site.domain };
  const result: EndedTurn = { status: 'stopped', answer: '', sources: [] };
  let turn: OpenTurn | undefined;
  let usage: { inputTokens: number; outputTokens: number } | undefined;
  let searchMs: number | undefined;
  let firstTextMs: number | undefined;

  // A selection may change what the same words mean.
  const pinnable = given.context.length > 0 ? '' : given.text;
  const { pinned, ...owner } = await deps.words.of(site, pinnable, !isBuiltIn);
  const reservation = await spend.reserve({
    ...payer,
    model: isBuiltIn || pinned ? undefined : site.model,
    expected: expectedUsage(given, maxTokens),
  });
  const trace = traceAnswer(deps.tracing, site.domain);
  const settleAndStore = async () => {
    if (usage) reservation.add(usage, modelName);
    usage = undefined;
    const { microDollars } = await retry(() => spend.settle(reservation), whileAway);
    result.microDollars ??= microDollars;
    if (!turn) return;
    const { turnId } = turn;
    await retry(() => threads.end(turnId, { ...result, firstTextMs, searchMs }), whileAway);
    if (searchMs === undefined) return;
    const { status, outcome, inputTokens, outputTokens } = result;
    const counted = { domain: site.domain, status, outcome: outcome?.status };
    deps.metrics?.answered({ ...counted, firstTextMs, searchMs, inputTokens, outputTokens });
  };

  /** An answer that no model writes. */
  const told = async function* (
    text: string,
    { before = [], after = [] }: { before?: readonly AnswerPart[]; after?: readonly AnswerPart[] },
  ): AsyncGenerator<AnswerPart, void, undefined> {
    const { threadId, turnId: messageId } = turn as OpenTurn;
    yield { type: 'start', messageId, messageMetadata: { threadId } };
    yield { type: 'start-step' };
    yield* before;
    firstTextMs = performance.now() - startedAt;
    result.answer = text;
    yield { type: 'text-start', id: '0' };
    yield { type: 'text-delta', id: '0', delta: text };
    yield { type: 'text-end', id: '0' };
    yield* after;
    yield { type: 'finish-step' };
    result.status = 'complete';
    result.finishReason = 'stop';
    await settleAndStore();
    yield { type: 'finish', finishReason: 'stop', messageMetadata: { threadId } };
  };

  try {
    turn = await threads.open({
      ...given,
      question: given.text,
      domain: site.domain,
      isStored: given.store && site.privacy.store,
      model: pinned ? pinnedModel : toModelId(model),
      chat,
      note,
    });
    const messageMetadata = { threadId: turn.threadId };
    if (pinned) {
      onStep?.({ pinned: pinned.id });
      searchMs = 0;
      result.outcome = { status: 'answered', confidence: 1 };
      const after = [{ type: 'data-answer', data: { ...result.outcome, mode: 'pinned' } }] as const;
      yield* told(pinned.text, { after });
      return;
    }
    const { isHistoryOurs } = turn;
    const history = isHistoryOurs ? turn.history : given.history;
    const question = withChoice(given, history);
    if (question !== given) result.question = question.text;

    const ready = Promise.all(models.map(async ({ server }) => server?.ready()));
    const searchedAt = performance.now();
    const pages = await findReaderPages(question, history, site, retriever);
    const asking = { site, models, reservation, log };
    const query = await prepareQuery(question, history, pages, asking, signal);
    const find = async (query: SearchQuery) => {
      const result = isBuiltIn
        ? await paidSearch.search(payer, query, signal)
        : await paidSearch.searchOn(reservation, site.domain, query, signal);
      onStep?.({ query, candidates: result.pages });
      return result;
    };
    const { found: searched, choices } = await settleVersion(
      await trace.search(() => find(query)),
      {
        question,
        history,
        pages,
        product: site.name,
        // Whether a client's history has a question back, nobody knows.
        mayAsk:
          asksBack &&
          (isHistoryOurs ? !history.some((past) => past.choices) : history.length === 0),
        find: (version) =>
          find({ ...query, filter: { ...question.filter, version } as SearchFilter }),
        page: (path) => retriever.page(site.domain, path, question.filter),
      },
    );
    searchMs = performance.now() - searchedAt;
    if (choices) {
      Object.assign(result, { choices, model: askBackModel });
      yield* told(toText(choices), {
        before: [{ type: 'data-question', data: toQuestion(choices) }],
      });
      return;
    }
    const read = await deps.indexer?.runs.stampOf(site.domain);
    // The built-in model answers or does not; any other is asked to say which.
    const statusLine = isBuiltIn ? undefined : createStatusLine();
    const skills = await owner.skillsFor([query.text, ...(query.before ?? [])]);
    onStep?.({ skills: skills.map(({ name }) => name) });
    const make = ({ found, ...sides }: Sides) => {
      const named = toSources(found.pages, site.docs, question.text);
      // The built-in model reads none.
      if (isBuiltIn) return { found, ...named, prompt: [] };
      const prompt = toPrompt({
        ...question,
        ...sides,
        siteName: site.name,
        instructions: owner.instructions,
        skills,
        question: question.text,
        isHistoryOurs,
        passages: named.passages,
        statusLines: statusLine?.lines ?? [],
      });
      return { found, ...named, prompt };
    };
    await ready;
    const best = { ...searched, pages: bestSections(searched.pages, question.pageSize) };
    const whole = { history, context: question.context, page: pages.current };
    const asked = { ...whole, found: arrange(question, pages, best) };
    const { found, sources, passages, quotes, prompt, maxOutputTokens } = isBuiltIn
      ? { ...make(asked), maxOutputTokens: undefined }
      : fitPrompt(asked, make, models);
    const isFound = found.pages.length > 0 && found.confidence >= notFoundBelow;
    result.passages = passages.map(({ url = '', title, score = 0 }) => ({
      url,
      title,
      score: Math.round(score * 1000) / 1000,
    }));
    onStep?.({ passages, ...(!isBuiltIn && { prompt }) });
    log.debug({ turnId: turn.turnId, promptVersion }, 'answer begins');
    yield { type: 'start', messageId: turn.turnId, messageMetadata };
    yield { type: 'start-step' };

    const { ahead } = found;
    const filter = createOutputFilter({
      site,
      question,
      sources,
      passages,
      isFound,
      ahead,
      statusLine,
      habits: () => (server?.facts.kind === undefined ? undefined : server.habits),
    });
    let isOpen = false;
    let areSourcesSent = false;
    /**
     * Sources stand before the text, unless there is nothing that the text could rest on. Parts are
     * yielded one by one: `yield*` would cost each token three promises more.
     */
    const say = function* (shown: string): Generator<AnswerPart, void, undefined> {
      if (shown === '') return;
      if (!isOpen) {
        isOpen = true;
        areSourcesSent = filter.mayNameSources();
        if (areSourcesSent) {
          result.sources = sources;
          for (const source of sources) yield toSourcePart(source, quotes.get(source));
        }
        yield { type: 'text-start', id: '0' };
      }
      firstTextMs ??= performance.now() - startedAt;
      result.answer += shown;
      yield { type: 'text-delta', id: '0', delta: shown };
    };

    const call = {
      prompt,
      abortSignal: signal,
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(isBuiltIn && {
        quotable: { question: question.text, passages: isFound ? passages : [], ahead },
      }),
    };
    /** All of it has to be paid, whether a reader saw it or not. */
    let written = '';
    let thoughts = 0;
    let isThinking = false;
    const repetition = isBuiltIn ? undefined : createRepetition();
    let isRepeated = false;
    let reason: FinishReason = 'stop';
    const measure = () => ({
      inputTokens: result.inputTokens ?? estimatePrompt(prompt),
      outputTokens: result.outputTokens ?? estimateTokens(written) + Math.ceil(thoughts / 4),
    });
    const onAsk = (named: NamedModel) => {
      ({ name: modelName, model, server } = named);
      result.model = toModelId(model);
      trace.asks(model);
    };
    try {
      for await (const event of readModel(models, call, { log, onAsk })) {
        if (event.type !== 'finish') {
          isRepeated = repetition?.push(event.text) ?? false;
          if (event.type === 'text') {
            // Some servers take no limit, and send a lot at once.
            const left = maxAnswerCharacters - written.length;
            written += event.text;
            for (const part of say(filter.push(event.text.slice(0, left)))) yield part;
          } else thoughts += event.text.length;
          if (!isOpen && !isThinking && (thoughts > 0 || filter.vetting()?.isThinking)) {
            isThinking = true;
            yield thinking;
          }
          if (isRepeated || written.length + thoughts > maxAnswerCharacters) {
            reason = 'length';
            break;
          }
        } else {
          reason = toFinishReason(event.reason);
          result.inputTokens = event.inputTokens;
          result.outputTokens = event.outputTokens;
          trace.finished(event.reason, result);
          onStep?.({ dropped: server?.dropped && modelName });
        }
      }
    } finally {
      void server?.refresh();
      onStep?.({ written });
      // A model that refused, or broke before its first word, is not paid.
      const isPaid =
        signal.aborted || written !== '' || thoughts > 0 || result.inputTokens !== undefined;
      if (isPaid) usage = measure();
    }
    for (const shown of filter.end(reason)) for (const part of say(shown)) yield part;
    // A quotation is whole, whatever became of what the model wrote.
    if (filter.isQuoted) reason = 'stop';
    yield { type: 'text-end', id: '0' };
    onStep?.({ leftOut: filter.vetting()?.leftOut, isRepeated });

    const status = filter.statusOf(result.answer);
    const cited = citedNumbers(result.answer);
    if (status !== 'answered' || !areSourcesSent) {
      // Those that a text does use are its sources all the same; a refusal has none.
      result.sources = sources.filter(({ id }) => status !== 'refused' && cited.has(id));
      if (!areSourcesSent) {
        for (const source of result.sources) yield toSourcePart(source, quotes.get(source));
      }
    }
    result.outcome = { status, confidence: Math.round(found.confidence * 100) / 100 };
    const used = result.sources.filter(({ id }) => cited.has(id));
    const versions = new Set(
      (used.length > 0 ? used : result.sources).flatMap(({ version }) => version ?? []),
    );
    result.stamp = read && { ...read, versions: [...versions] };
    const mode = isBuiltIn || filter.isQuoted ? 'extractive' : 'model';
    const search = found.isFallback && ({ search: 'fallback' } as const);
    const named = mode === 'model' && { model: toModelId(model) };
    const cut = isRepeated && !filter.isQuoted && ({ cut: 'repetition' } as const);
    yield {
      type: 'data-answer',
      data: { ...result.outcome, mode, ...named, ...search, ...cut, ...result.stamp },
    };
    if (site.suggestFollowUps && isFound && status === 'answered') {
      const questions = suggestQuestions({
        asked: [question.text, ...history.map((past) => past.question)],
        found: found.pages,
        passages,
        cited,
      });
      if (questions.length > 0) yield { type: 'data-suggestions', data: { questions } };
    }
    yield { type: 'finish-step' };
    result.status = 'complete';
    result.finishReason = reason;
    // Stored before `finish` is said: a follow-up that comes at once finds this turn.
    await settleAndStore();
    // Quoting costs no tokens.
    yield {
      type: 'finish',
      finishReason: reason,
      messageMetadata,
      ...(!isBuiltIn && { usage: measure() }),
    };
  } catch (error) {
    if (!signal.aborted) {
      result.status = 'failed';
      trace.failed(error);
    }
    throw error;
  } finally {
    // Also where the reader left: the generator is then ended at its last `yield`.
    trace.end(result, firstTextMs);
    if (result.status !== 'complete') await settleAndStore();
  }
}

const thinking: AnswerPart = {
  type: 'data-progress',
  data: { state: 'thinking' },
  transient: true,
};

/** Providers have more reasons, which mean nothing to a reader. */
function toFinishReason(reason: string): FinishReason {
  return reason === 'length' || reason === 'content-filter' ? reason : 'stop';
}

function toModelId({ provider, modelId }: Model): string {
  return `${provider}/${modelId}`;
}

function toSourcePart({ id, url, title }: Source, quote: string | undefined): AnswerPart {
  const part = { type: 'source-url', sourceId: id, url, title } as const;
  return quote ? { ...part, providerMetadata: { docent: { quote } } } : part;
}
