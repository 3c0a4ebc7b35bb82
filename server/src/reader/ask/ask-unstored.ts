/** An answer that no conversation keeps: of the playground, of test questions, and of what is asked again. */
import type { AnswerUsage } from '@docent/shared/stream';
import { nothing } from '../../budgets/cost.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { EndedTurn } from '../conversations/threads.ts';
import { answer, type AnswerDeps, type Asked } from './answer.ts';
import type { Question } from './question.ts';

export interface UnstoredAnswer extends EndedTurn {
  model: string;
  usage: AnswerUsage | null;
}

/** The site's own retrieval and model answer. Readers' figures don't count it. */
export async function askUnstored(
  asked: Asked,
  { metrics: _metrics, ...deps }: Omit<AnswerDeps, 'threads'>,
  signal: AbortSignal,
): Promise<UnstoredAnswer> {
  let model = '';
  let usage: AnswerUsage | null = null;
  let ended: EndedTurn | undefined;
  const threads: AnswerDeps['threads'] = {
    async open(turn) {
      ({ model } = turn);
      return { threadId: '', turnId: '', history: [], isHistoryOurs: false };
    },
    async end(_turnId, turn) {
      ended = turn;
    },
  };
  for await (const part of answer(asked, { ...deps, threads }, signal)) {
    if (part.type === 'finish') usage = part.usage ?? null;
  }
  if (!ended) throw new Error('The answer ended without a result');
  return { model, ...ended, usage };
}

/** Test questions have no budget. */
export const unpaid: AnswerDeps['spend'] = {
  reserve: async () => ({ add: () => undefined, addEmbedded: () => undefined }),
  settle: async () => nothing,
};

/** Who asks where no reader does. The site and its organization pay. */
export const callerFor = (id: string, { organization, domain }: Site): Asked['caller'] => ({
  id,
  kind: 'key',
  organization,
  domain,
  scopes: [],
  groups: [],
});

/** A question that stands for itself. */
export const plainQuestion = (text: string, more: Partial<Question> = {}): Question => ({
  text,
  history: [],
  threadId: undefined,
  fp: 'anonymous',
  currentPath: undefined,
  context: [],
  pageSize: 5,
  filter: undefined,
  isRetry: false,
  ...more,
  store: false,
});
