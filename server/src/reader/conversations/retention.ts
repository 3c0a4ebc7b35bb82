import type { ExpressionBuilder } from 'kysely';
import type { ForgetResponse } from '@docent/shared/analytics';
import type { SiteConfig } from '../../platform/config/site-config.ts';
import { DocentError } from '../../platform/errors.ts';
import { anonymous, pseudonym } from '../../platform/redaction/redact.ts';
import type { Bus } from '../../platform/store/bus.ts';
import type { Database } from '../../platform/store/database.ts';
import { forgetMade } from '../../platform/store/idempotency.ts';
import type { Tables } from '../../platform/store/tables.ts';
import { forgetQuoted } from '../analytics/jobs/forget-words.ts';

const dayMs = 86_400_000;

/** Says the ids of conversations that are gone, to all processes: their answers end, and cannot be read again. */
export const forgottenChannel = 'forgotten';

interface RetentionDeps {
  database: Database;
}

/** Deletes everything of one reader on one site. Doing it twice is harmless. */
export async function forgetReader(
  deps: RetentionDeps & { bus: Pick<Bus, 'publish'> },
  domain: string,
  given: string,
): Promise<ForgetResponse> {
  if (given === anonymous) {
    throw new DocentError(
      'bad_request',
      'Readers without a name cannot be told apart; their questions go when their retention ends.',
    );
  }
  return forget(deps, { domain, fp: pseudonym(given, domain) });
}

/**
 * A reader deletes one of their conversations, with what they thought of its answers. The same answer
 * for one of another site, of another reader, of a reader without a name and one that never was.
 */
export async function forgetThread(
  deps: RetentionDeps & { bus: Pick<Bus, 'publish'> },
  domain: string,
  given: string,
  threadId: string,
): Promise<void> {
  const isNamed = given !== anonymous;
  const reader = { domain, fp: pseudonym(given, domain), threadId };
  const gone = isNamed ? await forget(deps, reader) : undefined;
  if (!gone?.threads) {
    throw new DocentError('not_found', 'There is no conversation of yours with this id.');
  }
}

/** Everything of a reader, or of one of their conversations. */
async function forget(
  { database, bus }: RetentionDeps & { bus: Pick<Bus, 'publish'> },
  { domain, fp, threadId }: { domain: string; fp: string; threadId?: string },
): Promise<ForgetResponse> {
  const [gone, ids] = await database.transaction().execute(async (transaction) => {
    const threads = transaction
      .selectFrom('threads')
      .select('id')
      .where('domain', '=', domain)
      .where('fp', '=', fp)
      .$if(threadId !== undefined, (query) => query.where('id', '=', threadId ?? ''));
    // A question that is being opened in one of them is waited for: it is then deleted as well.
    const known = await threads.orderBy('id').forUpdate().execute();
    const ownTurns = await transaction
      .selectFrom('turns')
      .select('id')
      .where('thread_id', 'in', threads)
      .execute();
    /** Of their answers; of a whole reader, also what they thought of pages and of answers to others. */
    const isOpinion = (or: ExpressionBuilder<Tables, 'feedback'>) => {
      const ofTurns = or('turn_id', 'in', ['', ...ownTurns.map(({ id }) => id)]);
      if (threadId !== undefined) return ofTurns;
      return or.or([or.and([or('domain', '=', domain), or('fp', '=', fp)]), ofTurns]);
    };
    const opinions = await transaction
      .selectFrom('feedback')
      .select('id')
      .where(isOpinion)
      .execute();
    await forgetQuoted(transaction, {
      feedback: opinions.map(({ id }) => id),
      turns: ownTurns.map(({ id }) => id),
    });
    await forgetMade(
      transaction,
      ownTurns.map(({ id }) => id),
    );
    const feedback = await transaction.deleteFrom('feedback').where(isOpinion).executeTakeFirst();
    const turns = await transaction
      .deleteFrom('turns')
      .where('thread_id', 'in', threads)
      .executeTakeFirst();
    const conversations = await transaction
      .deleteFrom('threads')
      .where('domain', '=', domain)
      .where('fp', '=', fp)
      .$if(threadId !== undefined, (query) => query.where('id', '=', threadId ?? ''))
      .executeTakeFirst();
    const counts = {
      threads: Number(conversations.numDeletedRows),
      questions: Number(turns.numDeletedRows),
      feedback: Number(feedback.numDeletedRows),
    };
    return [counts, known.map(({ id }) => id)] as const;
  });
  // A message of the bus must be short.
  for (let at = 0; at < ids.length; at += 200) {
    await bus.publish(forgottenChannel, JSON.stringify(ids.slice(at, at + 200)));
  }
  return gone;
}

/** Deletes what sites no longer want to keep; gives back how many questions that were. */
export async function deleteExpired(
  { database, now }: RetentionDeps & { now: () => Date },
  sites: readonly Pick<SiteConfig, 'domain' | 'privacy'>[],
): Promise<number> {
  let deleted = 0;
  for (const { domain, privacy } of sites) {
    if (privacy.retentionDays === 'forever') continue;
    const before = new Date(now().getTime() - privacy.retentionDays * dayMs).toISOString();
    const threads = database.selectFrom('threads').select('id').where('domain', '=', domain);
    await forgetExpired({ database }, domain, before);
    const turns = await database
      .deleteFrom('turns')
      .where('created_at', '<', before)
      .where('thread_id', 'in', threads)
      .executeTakeFirst();
    await database
      .deleteFrom('threads')
      .where('domain', '=', domain)
      .where('created_at', '<', before)
      .where('id', 'not in', database.selectFrom('turns').select('thread_id'))
      .execute();
    await database
      .deleteFrom('feedback')
      .where('domain', '=', domain)
      .where('updated_at', '<', before)
      .execute();
    deleted += Number(turns.numDeletedRows);
  }
  return deleted;
}

/** Jobs that quote what is deleted next. */
async function forgetExpired(
  { database }: RetentionDeps,
  domain: string,
  before: string,
): Promise<void> {
  const links = await database
    .selectFrom('reader_jobs')
    .leftJoin('feedback', 'feedback.id', 'reader_jobs.feedback_id')
    .leftJoin('turns', 'turns.id', 'reader_jobs.turn_id')
    .select(['reader_jobs.feedback_id', 'reader_jobs.turn_id'])
    .where('reader_jobs.domain', '=', domain)
    .where((or) =>
      or.or([or('feedback.updated_at', '<', before), or('turns.created_at', '<', before)]),
    )
    .execute();
  if (links.length === 0) return;
  const chosen = {
    feedback: links.flatMap((link) => link.feedback_id ?? []),
    turns: links.flatMap((link) => link.turn_id ?? []),
  };
  await database.transaction().execute((tx) => forgetQuoted(tx, chosen));
}
