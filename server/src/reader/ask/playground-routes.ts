/**
 * One answer with what led to it, for who maintains the documentation. It's made like a reader's, counted,
 * and paid for, but not stored. Not in the service document.
 */
import { PlaygroundReply, PlaygroundRequest } from '@docent/shared/playground';
import { toDollars } from '../../budgets/cost.ts';
import { textOf } from '../../platform/models/model-server.ts';
import { DocentError } from '../../platform/errors.ts';
import { editorWrites, endpointsOf } from '../../platform/http/endpoint.ts';
import type { Limits } from '../../platform/limits/limits.ts';
import type { Models } from '../../platform/models/model.ts';
import { droppedNotice } from '../../platform/models/model-server.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { EndedTurn } from '../conversations/threads.ts';
import type { AnswerStreams } from '../stream/answer-streams.ts';
import type { AnswerDeps, AnswerSteps, Asked } from './answer.ts';
import { askUnstored } from './ask-unstored.ts';
import { type Question, toQuestion } from './question.ts';
import type { QuestionLimits } from './question-limits.ts';

interface PlaygroundDeps extends AnswerDeps {
  models: Models;
  limits: Limits;
  questionLimits: QuestionLimits;
  streams: Pick<AnswerStreams, 'acceptQuestions' | 'track'>;
}

const endpoint = endpointsOf<PlaygroundDeps>('Assistant');

export const playgroundEndpoints = [
  endpoint('POST /v1/playground/{domain}', {
    id: 'tryQuestion',
    summary: 'Ask a question, and see what led to the answer',
    description:
      'It is answered as for a reader, counted, and paid for, but not stored. Without `groups`, it finds public pages alone.',
    who: editorWrites,
    limit: 'question',
    before: ({ streams }) => [streams.acceptQuestions],
    body: PlaygroundRequest,
    reply: PlaygroundReply,
    errors: ['budget_exceeded', 'unavailable', 'upstream_failed', 'model_refused'],
    async run({ site: configured, body, caller, request, response, signal }, deps) {
      const { limits, streams } = deps;
      const { site, models } = await choose(configured, body.model, deps.models);
      await limits.questions.perCaller(request, response);
      const { domain } = site;
      await deps.questionLimits(request, response, {
        domain,
        fp: 'anonymous',
        threadId: undefined,
      });
      const asked = { site, question: asQuestion(body, site), caller };
      return streams.track(trace(asked, { ...deps, models }, signal));
    },
  }),
];

/** The site with another model, which has no fallback: the answer is to show what this one does. */
async function choose(
  site: Site,
  name: string | null | undefined,
  models: Models,
): Promise<{ site: Site; models: Pick<Models, 'forSite' | 'serverOf'> }> {
  if (name === undefined) return { site, models };
  const { model: _, fallback: __, ...rest } = site;
  if (name === null) return { site: rest, models };
  const named = models.named(name);
  if (!named) throw new DocentError('not_found', `The configuration has no model "${name}".`);
  return {
    site: { ...rest, model: name },
    models: { forSite: () => [named], serverOf: () => named.server },
  };
}

function asQuestion(body: PlaygroundRequest, { docs }: Site): Question {
  const { question, history = [], currentPath, groups, retrievalPageSize } = body;
  const messages = [
    ...history.flatMap((turn) => [
      { role: 'user' as const, content: turn.question },
      { role: 'assistant' as const, content: turn.answer },
    ]),
    { role: 'user' as const, content: question },
  ];
  const filter = groups && { groups };
  const asked = { fp: 'anonymous', messages, currentPath, filter, retrievalPageSize, store: false };
  return toQuestion(asked as Parameters<typeof toQuestion>[0], docs);
}

const leftOutNotices = {
  rules: 'The model repeated the rules of the prompt, so readers get quotations instead.',
  unsupported: 'No passage supports what the model wrote, so readers get quotations instead.',
};

function noticesOf(
  { leftOut, isRepeated, dropped, pinned, skills = [] }: Partial<AnswerSteps>,
  { finishReason }: EndedTurn,
  models: Pick<Models, 'serverOf'>,
): string[] {
  return [
    pinned && 'This answer is pinned to the question, word for word. No model was asked.',
    skills.length > 0 && `The prompt has these skills: ${skills.join(', ')}.`,
    leftOut && leftOutNotices[leftOut],
    isRepeated
      ? 'The model was stopped, because it began to repeat itself.'
      : finishReason === 'length' && 'The answer was cut short at the model’s maximum length.',
    dropped && droppedNotice(dropped, models.serverOf(dropped)),
  ].filter((notice) => typeof notice === 'string');
}

/** Asks, and keeps in memory what would otherwise be stored. */
async function trace(
  asked: Pick<Asked, 'site' | 'question' | 'caller'>,
  deps: AnswerDeps & { models: Pick<Models, 'serverOf'> },
  signal: AbortSignal,
): Promise<PlaygroundReply> {
  const startedAt = performance.now();
  let steps: Partial<AnswerSteps> = {};
  const onStep = (step: Partial<AnswerSteps>) => void (steps = { ...steps, ...step });
  const ended = await askUnstored({ ...asked, onStep }, deps, signal);
  const { candidates = [], passages = [], prompt = [], written = '' } = steps;
  // A pinned answer needs no search.
  const { text, pageSize } = asked.question;
  const { query = { text, pageSize } } = steps;
  // Without what isn't in the schema, such as callbacks and whole pages.
  return PlaygroundReply.parse({
    query,
    candidates,
    passages,
    prompt: prompt.map((message) => ({ role: message.role, text: textOf(message) })),
    model: ended.model,
    rawText: written,
    answer: ended.answer,
    sources: ended.sources,
    outcome: ended.outcome?.status,
    confidence: ended.outcome?.confidence,
    notices: noticesOf(steps, ended, deps.models),
    timings: {
      searchMs: ended.searchMs,
      firstTextMs: ended.firstTextMs ?? null,
      totalMs: performance.now() - startedAt,
    },
    usage: ended.usage,
    costUsd: toDollars(ended.microDollars ?? 0),
  });
}
