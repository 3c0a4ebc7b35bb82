/** Readers' questions with their answers, for the owner of a site. */
import type {
  Conversation,
  ConversationsQuery,
  ThreadResponse,
  Turn,
} from '@docent/shared/analytics';
import { type Expression, sql, type SqlBool } from 'kysely';
import { toDollars } from '../../budgets/cost.ts';
import { DocentError } from '../../platform/errors.ts';
import { toPage } from '../../platform/http/endpoint.ts';
import type { Database } from '../../platform/store/database.ts';
import type { UsedPassage } from '../conversations/threads.ts';
import type { Period } from './summary.ts';

type Wanted = Omit<ConversationsQuery, 'dateFrom' | 'dateTo' | 'format'>;

/** Questions that a filter without an index looks at for one page. */
const maxScanned = 10_000;
const maxTurns = 200;

/** Questions with their answers, newest first, without replaced ones. */
export async function listConversations(
  database: Database,
  domain: string,
  { from, to }: Period,
  wanted: Wanted,
): Promise<{ conversations: Conversation[]; nextCursor: string | null; hasMore: boolean }> {
  const { limit, cursor, resolutionStatus, status, rating, page, text, model, reader } = wanted;
  const newest = database
    .selectFrom('turns')
    .select(['turns.id', 'turns.created_at'])
    .where('turns.domain', '=', domain)
    .where('turns.created_at', '>=', from)
    .where('turns.created_at', '<', to)
    .$if(cursor !== undefined, (query) => query.where(before(cursor ?? '')))
    .$if(resolutionStatus !== undefined, (query) =>
      query.where('turns.outcome', '=', resolutionStatus ?? null),
    )
    .orderBy('turns.created_at', 'desc')
    .orderBy('turns.id', 'desc');
  const isScan = [status, rating, page, text, model, reader].some((filter) => filter !== undefined);
  const last = isScan ? await newest.offset(maxScanned).limit(1).executeTakeFirst() : undefined;
  const found = await newest
    .where('turns.replaced_by', 'is', null)
    .where('turns.status', '<>', 'running')
    .$if(last !== undefined, (query) => query.where(sql<SqlBool>`not ${before(cursorOf(last!))}`))
    .$if(status !== undefined, (query) => query.where('turns.status', '=', status ?? 'complete'))
    .$if(model !== undefined, (query) => query.where('turns.model', '=', model ?? ''))
    .$if(rating !== undefined, (query) =>
      query.where((turn) =>
        turn.exists(
          turn
            .selectFrom('feedback')
            .select('feedback.id')
            .whereRef('feedback.turn_id', '=', 'turns.id')
            .where('feedback.rating', '=', rating ?? 'up'),
        ),
      ),
    )
    .$if(reader !== undefined, (query) =>
      query.where(
        'turns.thread_id',
        'in',
        database
          .selectFrom('threads')
          .select('threads.id')
          .where('threads.domain', '=', domain)
          .where('threads.fp', '=', reader ?? ''),
      ),
    )
    .$if(page !== undefined, (query) =>
      query.where(holds(['turns.asked_on', 'turns.sources'], page ?? '')),
    )
    .$if(text !== undefined, (query) =>
      query.where(holds(['turns.question', 'turns.answer'], text ?? '')),
    )
    .limit(limit + 1)
    .execute();
  const shown = toPage(found, limit, cursorOf);
  // Where a filter stopped looking, the next page goes on.
  const next =
    last && !shown.next.hasMore ? { nextCursor: cursorOf(last), hasMore: true } : shown.next;
  const rows = await turnsOf(database)
    .where('turns.id', 'in', [...shown.rows.map(({ id }) => id), ''])
    .orderBy('turns.created_at', 'desc')
    .orderBy('turns.id', 'desc')
    .execute();
  return {
    conversations: rows.map(toConversation),
    ...next,
  };
}

/** All conversations of a period, read page by page to save memory. */
export async function* eachConversation(
  database: Database,
  domain: string,
  period: Period,
  wanted: Wanted,
): AsyncGenerator<Conversation> {
  let cursor = wanted.cursor;
  do {
    const page = await listConversations(database, domain, period, {
      ...wanted,
      limit: 500,
      cursor,
    });
    yield* page.conversations;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

/** One conversation, with the questions that were asked again. */
export async function readThread(
  database: Database,
  domain: string,
  threadId: string,
): Promise<ThreadResponse> {
  const rows = await turnsOf(database)
    .where('turns.thread_id', '=', threadId)
    .where('turns.domain', '=', domain)
    .where('turns.status', '<>', 'running')
    .orderBy('turns.id', 'desc')
    .limit(maxTurns + 1)
    .execute();
  const [newest] = rows;
  if (!newest) throw new DocentError('not_found', 'There is no such conversation on this site.');
  const turns = rows.slice(0, maxTurns).toReversed();
  const jobs = await database
    .selectFrom('reader_jobs')
    .leftJoin('feedback', 'feedback.id', 'reader_jobs.feedback_id')
    .select([
      'job_id',
      (job) => job.fn.coalesce('reader_jobs.turn_id', 'feedback.turn_id').as('turn'),
    ])
    .where('job_id', 'is not', null)
    .where((or) => {
      const ids = turns.map(({ id }) => id);
      return or.or([or('reader_jobs.turn_id', 'in', ids), or('feedback.turn_id', 'in', ids)]);
    })
    .execute();
  const jobOf = new Map(jobs.map(({ turn, job_id: job }) => [turn, job]));
  return {
    threadId,
    reader: newest.fp,
    turns: turns.map((row): Turn => {
      const { feedback, sources: _, ...conversation } = toConversation(row);
      return {
        ...conversation,
        sources: JSON.parse(row.sources) as Turn['sources'],
        feedback: feedback && { ...feedback, id: row.feedback_id ?? '' },
        context: (JSON.parse(row.context) as Turn['context']).map(({ value, path }) => ({
          value,
          ...(path !== undefined && { path }),
        })),
        passages: JSON.parse(row.passages ?? '[]') as UsedPassage[],
        searchMs: row.search_ms,
        finishedAt: row.finished_at,
        finishReason: row.finish_reason,
        replacedBy: row.replaced_by,
        jobId: jobOf.get(row.id) ?? null,
      };
    }),
    hasEarlier: rows.length > maxTurns,
  };
}

const turnsOf = (database: Database) =>
  database
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
    ]);

type Row = Awaited<ReturnType<ReturnType<typeof turnsOf>['executeTakeFirstOrThrow']>>;

const toConversation = (row: Row): Conversation => ({
  id: row.id,
  threadId: row.thread_id,
  timestamp: row.created_at,
  query: row.question,
  response: row.answer,
  sources: (JSON.parse(row.sources) as { title: string; url: string }[]).map(({ title, url }) => ({
    title,
    url,
  })),
  resolutionStatus: row.outcome,
  choices: row.choices === null ? null : (JSON.parse(row.choices) as string[]),
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
          reasons: JSON.parse(row.reasons ?? '[]') as string[],
          comment: row.note,
        },
  inputTokens: row.input_tokens,
  outputTokens: row.output_tokens,
  firstTextMs: row.first_text_ms,
  stamp: row.stamp === null ? null : (JSON.parse(row.stamp) as Conversation['stamp']),
});

const cursorOf = (turn: { created_at: string; id: string }) => `${turn.created_at}_${turn.id}`;

function before(cursor: string) {
  const [time, id] = cursor.split('_');
  return sql<SqlBool>`(turns.created_at, turns.id) < (${time}, ${id})`;
}

/** Whether one of the columns contains a text. The databases' own operators differ in case. */
function holds(columns: readonly string[], text: string): Expression<SqlBool> {
  const pattern = `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const each = columns.map(
    (column) => sql`lower(${sql.ref(column)}) like lower(${pattern}) escape '\\'`,
  );
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}

/** Of conversations in CSV. */
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
  'indexedAt',
  'commits',
  'versions',
] as const;

/** The cells of {@link columns}. */
export const toCells = ({
  feedback,
  sources,
  stamp,
  ...row
}: Conversation): Record<string, unknown> => ({
  ...row,
  indexedAt: stamp?.indexedAt,
  commits: stamp?.commits.join(' '),
  versions: stamp?.versions.join(' '),
  sources: sources.map(({ url }) => url).join(' '),
  helpful: feedback?.helpful,
  reasons: feedback?.reasons.join(' '),
  comment: feedback?.comment,
});
