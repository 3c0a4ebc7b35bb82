/** Readers' feedback as a list of things to look into: states, assignees, and internal notes. */
import type {
  FeedbackChange,
  FeedbackDetail,
  FeedbackEntry,
  FeedbackQuery,
} from '@docent/shared/analytics';
import { type FeedbackState, feedbackStates } from '@docent/shared/feedback';
import { type Audit } from '../../notify/audit/audit.ts';
import { DocentError, invalid } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { namesOf } from '../../accounts/people/people.ts';
import { redact } from '../../platform/redaction/redact.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import type { Period } from './summary.ts';
import { callerActor } from '../../platform/auth/caller.ts';

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
