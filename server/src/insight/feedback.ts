import type { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import { DocentError } from '../errors.ts';
import type { NewId } from '../ids.ts';
import { anonymous, pseudonym } from '../redaction/pseudonym.ts';
import { redact } from '../redaction/redact.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { Database } from '../store/database.ts';

export interface FeedbackParts {
  database: Database;
  now: () => Date;
  newId: NewId;
  retriever: Retriever;
}

type FeedbackWork = Omit<FeedbackParts, 'retriever'> & { retriever: Pick<Retriever, 'page'> };

/**
 * Keeps what a reader thinks of an answer of theirs, or of a page. Who says it again has changed their
 * mind. Only readers without a name may rate a page many times: nobody can tell them apart.
 */
export async function giveFeedback(
  request: FeedbackRequest,
  domain: string,
  parts: FeedbackWork,
): Promise<FeedbackResponse> {
  const { database, now, newId } = parts;
  const id = newId();
  const about = await findSubject(request, domain, parts);
  const fp = pseudonym(request.fp, domain);
  const time = now().toISOString();
  const opinion = {
    rating: request.rating,
    reasons: JSON.stringify([...new Set(request.reasons)]),
    note: request.note ? redact(request.note) : null,
    updated_at: time,
  };
  const row = await database
    .insertInto('feedback')
    .values({
      id,
      domain,
      subject: about.turnId ?? (fp === anonymous ? id : `${fp} ${about.path}`),
      fp,
      turn_id: about.turnId ?? null,
      path: about.path ?? null,
      created_at: time,
      ...opinion,
    })
    .onConflict((conflict) => conflict.columns(['domain', 'subject']).doUpdateSet(opinion))
    .returningAll()
    .executeTakeFirstOrThrow();
  return {
    id: row.id,
    ...(row.turn_id !== null && { messageId: row.turn_id }),
    ...(row.path !== null && { path: row.path }),
    rating: row.rating,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

type Subject = { turnId: string; path?: never } | { path: string; turnId?: never };

async function findSubject(
  request: FeedbackRequest,
  domain: string,
  { database, retriever }: FeedbackWork,
): Promise<Subject> {
  const { messageId, threadId, path, filter, fp } = request;
  const isAboutAnswer = messageId !== undefined || threadId !== undefined;
  if (isAboutAnswer === (path !== undefined)) {
    throw new DocentError(
      'bad_request',
      'Say what the feedback is about: an answer by its `messageId` or `threadId`, or a page by its `path`.',
    );
  }
  if (path !== undefined) {
    const page = await retriever.page(domain, path, filter);
    if (!page) throw new DocentError('not_found', 'There is no page at this path.');
    return { path: page.path };
  }
  const turn = await database
    .selectFrom('turns')
    .innerJoin('threads', 'threads.id', 'turns.thread_id')
    .select('turns.id')
    .where('threads.domain', '=', domain)
    .where('threads.fp', 'in', [anonymous, pseudonym(fp, domain)])
    .where('turns.status', '<>', 'running')
    .$if(messageId !== undefined, (query) => query.where('turns.id', '=', messageId ?? ''))
    .$if(threadId !== undefined, (query) => query.where('threads.id', '=', threadId ?? ''))
    .orderBy('turns.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  // The same words for an answer of another site, of another reader and one that never was.
  if (!turn) throw new DocentError('not_found', 'There is no such answer to give feedback on.');
  return { turnId: turn.id };
}
