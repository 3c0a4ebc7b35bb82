import type { Conversation, ConversationsQuery, FeedbackEntry } from '@docent/shared/analytics';
import type { Database } from '../../platform/store/database.ts';
import { toDollars } from '../../platform/budgets/cost.ts';
import type { Period } from './summary.ts';

interface Page {
  limit: number;
  cursor?: string | undefined;
}

type Wanted = Page & Pick<ConversationsQuery, 'resolutionStatus'>;

/** Questions with their answers, newest first, without replaced ones. */
export async function listConversations(
  database: Database,
  domain: string,
  { from, to }: Period,
  { limit, cursor, resolutionStatus }: Wanted,
): Promise<Conversation[]> {
  const rows = await database
    .selectFrom('turns')
    .innerJoin('threads', 'threads.id', 'turns.thread_id')
    .leftJoin('feedback', 'feedback.turn_id', 'turns.id')
    .selectAll('turns')
    .select([
      'threads.fp',
      'feedback.rating',
      'feedback.reasons',
      'feedback.note',
      'feedback.id as feedback_id',
    ])
    .where('threads.domain', '=', domain)
    .where('turns.created_at', '>=', from)
    .where('turns.created_at', '<', to)
    .where('turns.replaced_by', 'is', null)
    .where('turns.status', '<>', 'running')
    .$if(resolutionStatus !== undefined, (query) =>
      query.where('turns.outcome', '=', resolutionStatus ?? null),
    )
    .$if(cursor !== undefined, (query) => query.where('turns.id', '<', cursor ?? ''))
    .orderBy('turns.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    threadId: row.thread_id,
    timestamp: row.created_at,
    query: row.question,
    response: row.answer,
    sources: (JSON.parse(row.sources) as { title: string; url: string }[]).map(
      ({ title, url }) => ({ title, url }),
    ),
    resolutionStatus: row.outcome,
    confidence: row.confidence,
    status: row.status,
    queryCategory: null,
    currentPath: row.asked_on,
    model: row.model,
    costUsd: toDollars(row.micro_dollars),
    reader: row.fp,
    feedback:
      row.rating === null
        ? null
        : {
            helpful: row.rating === 'up',
            reasons: toList(row.reasons),
            comment: row.note,
          },
  }));
}

/** All conversations of a period, read page by page to save memory. */
export async function* eachConversation(
  database: Database,
  domain: string,
  period: Period,
  wanted: Pick<Wanted, 'resolutionStatus'>,
): AsyncGenerator<Conversation> {
  const limit = 500;
  let cursor: string | undefined;
  for (;;) {
    const page = await listConversations(database, domain, period, { ...wanted, limit, cursor });
    yield* page;
    cursor = page.at(-1)?.id;
    if (page.length < limit) return;
  }
}

/** Readers' feedback, newest first. */
export async function listFeedback(
  database: Database,
  domain: string,
  { from, to }: Period,
  { limit, cursor }: Page,
): Promise<FeedbackEntry[]> {
  const rows = await database
    .selectFrom('feedback')
    .leftJoin('reader_jobs', 'reader_jobs.feedback_id', 'feedback.id')
    .selectAll('feedback')
    .select(['reader_jobs.id as reported', 'reader_jobs.job_id'])
    .where('feedback.domain', '=', domain)
    .where('feedback.created_at', '>=', from)
    .where('feedback.created_at', '<', to)
    .$if(cursor !== undefined, (query) => query.where('feedback.id', '<', cursor ?? ''))
    .orderBy('feedback.id', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    source: row.turn_id === null ? 'page' : 'assistant',
    path: row.path,
    messageId: row.turn_id,
    helpful: row.rating === 'up',
    reasons: toList(row.reasons),
    comment: row.note,
    createdAt: row.created_at,
    isSuggestion: row.reported !== null && row.job_id === null,
    jobId: row.job_id,
  }));
}

function toList(json: string | null): string[] {
  return json === null ? [] : (JSON.parse(json) as string[]);
}

export const columns = [
  'id',
  'threadId',
  'timestamp',
  'query',
  'response',
  'resolutionStatus',
  'confidence',
  'status',
  'sources',
  'currentPath',
  'model',
  'costUsd',
  'reader',
  'helpful',
  'reasons',
  'comment',
] as const;

/** The cells of {@link columns}. */
export const toCells = ({ feedback, sources, ...row }: Conversation): Record<string, unknown> => ({
  ...row,
  sources: sources.map(({ url }) => url).join(' '),
  helpful: feedback?.helpful,
  reasons: feedback?.reasons.join(' '),
  comment: feedback?.comment,
});
