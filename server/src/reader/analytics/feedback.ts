import type { FeedbackRequest, FeedbackResponse, FeedbackState } from '@docent/shared/feedback';
import { sql } from 'kysely';
import { assertGroups, type Caller } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ForgetWords } from '../../platform/tenants/projects.ts';
import { forgetQuoted } from './jobs/forget-words.ts';
import { anonymous, pseudonym, redact } from '../../platform/redaction/redact.ts';
import { findPage as findIndexedPage } from '../../retrieval/page-path.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Database } from '../../platform/store/database.ts';

export interface FeedbackDeps {
  database: Database;
  forgetWords: ForgetWords;
  now: () => Date;
  retriever: Retriever;
  sites: Pick<Sites, 'find'>;
}

type FeedbackWork = Omit<FeedbackDeps, 'retriever'> & { retriever: Pick<Retriever, 'page'> };

/**
 * Stores a reader's feedback on one of their answers, or on a page. New feedback replaces the earlier one.
 * Only readers without a name can rate a page many times, because nothing distinguishes them.
 */
export async function giveFeedback(
  request: FeedbackRequest,
  domain: string,
  caller: Pick<Caller, 'groups'>,
  deps: FeedbackWork,
): Promise<FeedbackResponse> {
  assertGroups(caller, request.filter);
  const { database, now } = deps;
  const id = newId();
  const about = await findSubject(request, domain, deps);
  const fp = pseudonym(request.fp, domain);
  const time = now().toISOString();
  const opinion = {
    rating: request.rating,
    reasons: JSON.stringify([...new Set(request.reasons)]),
    note: request.note ? redact(request.note) : null,
    path: about.path ?? null,
    updated_at: time,
  };
  /** A rating up without a note asks for nothing. */
  const state = opinion.rating === 'down' || opinion.note !== null ? 'open' : 'done';
  const row = await database
    .insertInto('feedback')
    .values({
      id,
      domain,
      subject: about.turnId ?? (fp === anonymous ? id : `${fp} ${about.path}`),
      fp,
      turn_id: about.turnId ?? null,
      created_at: time,
      ...opinion,
      state,
      assignee: null,
      version: 1,
    })
    .onConflict((conflict) =>
      conflict.columns(['domain', 'subject']).doUpdateSet({
        ...opinion,
        version: sql<number>`feedback.version + 1`,
        state: sql<FeedbackState>`case when feedback.state = 'in-progress' then feedback.state else ${state} end`,
      }),
    )
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

/** Deletes a reader's feedback. The result doesn't show whether there was any. */
export async function takeBackFeedback(
  { id, fp }: { id: string; fp: string },
  domain: string,
  { database, forgetWords }: Pick<FeedbackDeps, 'database' | 'forgetWords'>,
): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const own = await tx
      .selectFrom('feedback')
      .select('id')
      .where('domain', '=', domain)
      .where('id', '=', id)
      .where('fp', '=', pseudonym(fp, domain))
      .executeTakeFirst();
    if (!own) return;
    // A job that works on it continues, because people review its result. It no longer quotes the reader.
    await forgetQuoted(tx, forgetWords, { feedback: [own.id], turns: [] });
    await tx.deleteFrom('feedback').where('id', '=', own.id).execute();
  });
}

type Subject = { turnId: string; path?: string } | { path: string; turnId?: never };

async function findSubject(
  request: FeedbackRequest,
  domain: string,
  deps: FeedbackWork,
): Promise<Subject> {
  const { messageId, threadId, path } = request;
  const isAboutAnswer = messageId !== undefined || threadId !== undefined;
  if (!isAboutAnswer && path === undefined) {
    throw new DocentError(
      'bad_request',
      'Say what the feedback is about: an answer by its `messageId` or `threadId`, or a page by its `path`.',
    );
  }
  const turnId = isAboutAnswer ? await findTurn(request, domain, deps) : undefined;
  if (path === undefined) return { turnId: turnId ?? '' };
  const page = await findPage(path, request.filter, domain, deps);
  return turnId === undefined ? { path: page } : { turnId, path: page };
}

async function findPage(
  address: string,
  filter: FeedbackRequest['filter'],
  domain: string,
  { retriever, sites }: FeedbackWork,
): Promise<string> {
  const site = { domain, docs: sites.find(domain)?.docs ?? {} };
  const page = await findIndexedPage(retriever, site, address, filter);
  if (page) return page.path;
  throw new DocentError('not_found', 'There is no page at this path.');
}

async function findTurn(
  { messageId, threadId, fp }: FeedbackRequest,
  domain: string,
  { database }: FeedbackWork,
): Promise<string> {
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
  // The response is the same for an answer of another site, of another reader, and one that never existed.
  if (!turn) throw new DocentError('not_found', 'There is no such answer to give feedback on.');
  return turn.id;
}
