import type { FeedbackRequest, FeedbackResponse } from '@docent/shared/feedback';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { forgetQuoted } from './jobs/forget-words.ts';
import { anonymous, pseudonym, redact } from '../../platform/redaction/redact.ts';
import { pathsOnSite } from '../../retrieval/page-path.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Sites } from '../../platform/tenants/sites.ts';
import type { Database } from '../../platform/store/database.ts';

export interface FeedbackDeps {
  database: Database;
  now: () => Date;
  retriever: Retriever;
  sites: Pick<Sites, 'find'>;
}

type FeedbackWork = Omit<FeedbackDeps, 'retriever'> & { retriever: Pick<Retriever, 'page'> };

/**
 * Keeps what a reader thinks of an answer of theirs, or of a page. Who says it again has changed their
 * mind. Only readers without a name may rate a page many times: nobody can tell them apart.
 */
export async function giveFeedback(
  request: FeedbackRequest,
  domain: string,
  deps: FeedbackWork,
): Promise<FeedbackResponse> {
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

/** A reader takes back what they said. Doing it twice is harmless, and says nothing of what there was. */
export async function takeBackFeedback(
  { id, fp }: { id: string; fp: string },
  domain: string,
  { database }: Pick<FeedbackDeps, 'database'>,
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
    // A job that works on it goes on: people look at what comes of it. It no longer quotes the reader.
    await forgetQuoted(tx, { feedback: [own.id], turns: [] });
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
  // A page as readers have it in their address bar, which may begin above where the site does.
  for (const path of pathsOnSite(sites.find(domain)?.docs.baseUrl, address)) {
    const page = await retriever.page(domain, path, filter);
    if (page) return page.path;
  }
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
  // The same words for an answer of another site, of another reader and one that never was.
  if (!turn) throw new DocentError('not_found', 'There is no such answer to give feedback on.');
  return turn.id;
}
