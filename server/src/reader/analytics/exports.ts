import type { Conversation, FeedbackEntry } from '@docent/shared/analytics';
import type { Database } from '../../platform/store/database.ts';
import type { Period } from './summary.ts';

interface Page {
  limit: number;
  cursor?: string | undefined;
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
  'inputTokens',
  'outputTokens',
  'firstTextMs',
] as const;

/** The cells of {@link columns}. */
export const toCells = ({ feedback, sources, ...row }: Conversation): Record<string, unknown> => ({
  ...row,
  sources: sources.map(({ url }) => url).join(' '),
  helpful: feedback?.helpful,
  reasons: feedback?.reasons.join(' '),
  comment: feedback?.comment,
});
