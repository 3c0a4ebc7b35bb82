/** What readers say of answers and pages, and the team's list of it: states, assignees, and internal notes. */
import {
  type FeedbackRequest,
  type FeedbackResponse,
  type FeedbackState,
  feedbackStates,
} from '@docent/shared/feedback';
import { sql } from 'kysely';
import { assertGroups, type Caller, callerActor } from '../../platform/auth/caller.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { ForgetWords } from '../../platform/tenants/projects.ts';
import { forgetQuoted } from './jobs/reports.ts';
import { anonymous, pseudonym, redact } from '../../platform/redaction/redact.ts';
import { findPage as findIndexedPage } from '../../retrieval/page-path.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Sites, Site } from '../../platform/tenants/sites.ts';
import type { Database } from '../../platform/store/database.ts';
import type {
  FeedbackChange,
  FeedbackDetail,
  FeedbackEntry,
  FeedbackQuery,
} from '@docent/shared/analytics';
import type { Audit } from '../../notify/audit/audit.ts';
import { namesOf } from '../../accounts/people/people.ts';
import type { Period } from './summary.ts';

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
    await forgetQuoted(tx, forgetWords, { feedback: [own.id] });
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

interface InboxDeps {
  database: Database;
  now: () => Date;
  audit: Pick<Audit, 'record'>;
}

/** Readers' feedback, newest first. */
export async function listFeedback(
  database: Database,
  domain: string,
  { from, to }: Period,
  wanted: Pick<FeedbackQuery, 'limit' | 'cursor' | 'state' | 'rating' | 'assignee'>,
): Promise<FeedbackEntry[]> {
  const { limit, cursor, state, rating, assignee } = wanted;
  const rows = await entriesOf(database, domain)
    .where('feedback.created_at', '>=', from)
    .where('feedback.created_at', '<', to)
    .$if(cursor !== undefined, (query) => query.where('feedback.id', '<', cursor ?? ''))
    .$if(state !== undefined, (query) => query.where('feedback.state', '=', state ?? 'open'))
    .$if(rating !== undefined, (query) => query.where('feedback.rating', '=', rating ?? 'up'))
    .$if(assignee !== undefined, (query) => query.where('feedback.assignee', '=', assignee ?? ''))
    .orderBy('feedback.id', 'desc')
    .limit(limit)
    .execute();
  const names = await namesOf(
    database,
    rows.map((row) => row.assignee),
  );
  return rows.map((row) => toEntry(row, names));
}

export async function countStates(
  database: Database,
  domain: string,
): Promise<Record<FeedbackState, number>> {
  const rows = await database
    .selectFrom('feedback')
    .select(({ fn }) => ['state', fn.countAll().as('count')])
    .where('domain', '=', domain)
    .groupBy('state')
    .execute();
  const counts = rows.map(({ state, count }) => [state, Number(count)] as const);
  const none = feedbackStates.map((state) => [state, 0] as const);
  return Object.fromEntries([...none, ...counts]) as Record<FeedbackState, number>;
}

export async function readFeedback(
  database: Database,
  { domain, organization }: Pick<Site, 'domain' | 'organization'>,
  id: string,
): Promise<FeedbackDetail> {
  const row = await entriesOf(database, domain).where('feedback.id', '=', id).executeTakeFirst();
  if (!row) throw notFound();
  const notes = await database
    .selectFrom('feedback_notes')
    .selectAll()
    .where('feedback_id', '=', id)
    .orderBy('id')
    .execute();
  const names = await namesOf(database, [row.assignee, ...notes.map(({ author }) => author)]);
  return {
    ...toEntry(row, names),
    notes: notes.map(({ id: note, author, text, created_at: createdAt }) => ({
      id: note,
      author: { id: author, name: names.get(author) ?? author },
      text,
      createdAt,
    })),
    people: await peopleOf(database, organization),
  };
}

/** Changes what nobody else has changed since it was read. */
export async function changeFeedback(
  { database, now, audit }: InboxDeps,
  site: Pick<Site, 'domain' | 'organization'>,
  id: string,
  { version, state, assignee, note }: FeedbackChange,
  by: string,
): Promise<FeedbackDetail> {
  const { domain, organization } = site;
  await database.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('feedback')
      .set({
        version: version + 1,
        ...(state !== undefined && { state }),
        ...(assignee !== undefined && { assignee }),
      })
      .where('domain', '=', domain)
      .where('id', '=', id)
      .where('version', '=', version)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) {
      const current = await readFeedback(tx, site, id);
      throw new DocentError('conflict', 'Someone has changed this feedback in the meantime.', {
        details: [
          { path: 'version', message: `is ${current.version} now` },
          { path: 'state', message: `is ${current.state} now` },
          { path: 'assignee', message: `is ${current.assignee?.name ?? 'nobody'} now` },
        ],
      });
    }
    if (typeof assignee === 'string') {
      const people = await peopleOf(tx, organization);
      if (!people.some((person) => person.id === assignee)) {
        throw invalid('assignee', 'is no person of this organization');
      }
    }
    if (note !== undefined) {
      const added = { id: newId(), feedback_id: id, author: by, text: redact(note) };
      await tx
        .insertInto('feedback_notes')
        .values({ ...added, created_at: now().toISOString() })
        .execute();
    }
    const data = { feedback: id, state, assignee, ...(note !== undefined && { note: true }) };
    const actor = callerActor(by);
    await audit.record(tx, { organization, actor, type: 'feedback.changed', data });
  });
  return readFeedback(database, site, id);
}

const notFound = () => new DocentError('not_found', 'There is no such feedback on this site.');

const entriesOf = (database: Database, domain: string) =>
  database
    .selectFrom('feedback')
    .leftJoin('reader_jobs', 'reader_jobs.feedback_id', 'feedback.id')
    .leftJoin('turns', 'turns.id', 'feedback.turn_id')
    .selectAll('feedback')
    .select(['reader_jobs.id as reported', 'reader_jobs.job_id'])
    .select(['turns.question', 'turns.thread_id'])
    .where('feedback.domain', '=', domain);

type Row = Awaited<ReturnType<ReturnType<typeof entriesOf>['executeTakeFirstOrThrow']>>;

const toEntry = (row: Row, names: ReadonlyMap<string, string>): FeedbackEntry => ({
  id: row.id,
  source: row.turn_id === null ? 'page' : 'assistant',
  path: row.path,
  messageId: row.turn_id,
  helpful: row.rating === 'up',
  reasons: JSON.parse(row.reasons) as string[],
  comment: row.note,
  createdAt: row.created_at,
  isSuggestion: row.reported !== null && row.job_id === null,
  jobId: row.job_id,
  updatedAt: row.updated_at,
  question: row.question,
  threadId: row.thread_id,
  reader: row.fp,
  state: row.state,
  assignee:
    row.assignee === null ? null : { id: row.assignee, name: names.get(row.assignee) ?? '' },
  version: row.version,
});

const peopleOf = (database: Database, organization: string) =>
  database
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .select(['people.id', 'people.name'])
    .where('memberships.organization', '=', organization)
    .where('people.disabled_at', 'is', null)
    .orderBy('people.name')
    .execute();
