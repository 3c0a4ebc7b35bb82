import type { ExpressionBuilder } from 'kysely';
import type { ForgetRequest, ForgetResponse } from '@docent/shared/analytics';
import { dayMs } from '../../platform/time.ts';
import type { Audit } from '../../notify/audit/audit.ts';
import type { SiteConfig } from '../../platform/config/site-config.ts';
import { DocentError } from '../../platform/errors.ts';
import { anonymous, pseudonym } from '../../platform/redaction/redact.ts';
import type { Bus } from '../../platform/store/bus.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import { forgetMade } from '../../platform/store/idempotency.ts';
import type { Tables } from '../../platform/store/tables.ts';
import type { ForgetWords } from '../../platform/tenants/projects.ts';
import { forgetQuoted } from '../analytics/jobs/reports.ts';
import { forgetHandOvers } from '../hand-over/hand-over.ts';
import { deleteEmptyGaps, lockGaps } from '../gaps/join-gap.ts';
import { type Actor } from '../../platform/auth/caller.ts';

/** The bus channel for the ids of deleted conversations. Every process ends their answers and drops them. */
export const forgottenChannel = 'forgotten';

interface RetentionDeps {
  database: Database;
  forgetWords: ForgetWords;
}
type ForgetDeps = RetentionDeps & { bus: Pick<Bus, 'publish'> };

/**
 * Deletes everything of one reader on one site, by their `fp` or their pseudonym. Doing it twice is harmless.
 * The audit entry says how much, and not of whom: it can't be deleted.
 */
export async function forgetReader(
  { audit, ...deps }: ForgetDeps & { audit: Pick<Audit, 'record'> },
  { domain, organization, actor }: { domain: string; organization: string; actor: Actor },
  given: ForgetRequest,
): Promise<ForgetResponse> {
  const fp = 'fp' in given ? pseudonym(given.fp, domain) : given.reader;
  if (fp === anonymous) {
    throw new DocentError(
      'bad_request',
      "Anonymous readers can't be told apart. Their questions are deleted when the retention period ends.",
    );
  }
  return forget(deps, { domain, fp }, (transaction, counts) =>
    audit.record(transaction, {
      organization,
      actor,
      type: 'reader.forgotten',
      data: { domain, ...counts },
    }),
  );
}

/**
 * Deletes one of a reader's conversations, with their feedback on it. The response is the same for one of
 * another site, of another reader, of a reader without a name, and one that never existed.
 */
export async function forgetThread(
  deps: ForgetDeps,
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

const ofSites = [
  'gaps',
  'gap_asks',
  'reader_jobs',
  'reported_pages',
  'owner_wordings',
  'owner_words',
  'site_settings',
] as const;

/** Deletes everything that a site's readers left, and what its owners told it. */
export async function forgetSite(
  deps: ForgetDeps,
  domain: string,
  also: (transaction: Database) => Promise<void>,
): Promise<void> {
  await forget(deps, { domain }, async (transaction) => {
    await also(transaction);
    for (const table of ofSites) {
      await transaction.deleteFrom(table).where('domain', '=', domain).execute();
    }
  });
}

/** Deletes everything of a site, of one of its readers, or of one of their conversations. */
async function forget(
  { database, bus, forgetWords }: ForgetDeps,
  { domain, fp, threadId }: { domain: string; fp?: string; threadId?: string },
  record?: (transaction: Database, counts: ForgetResponse) => Promise<void>,
): Promise<ForgetResponse> {
  const [gone, ids] = await database.transaction().execute(async (transaction) => {
    await lockGaps(transaction, domain);
    const threads = transaction
      .selectFrom('threads')
      .select('id')
      .where('domain', '=', domain)
      .$if(fp !== undefined, (query) => query.where('fp', '=', fp ?? ''))
      .$if(threadId !== undefined, (query) => query.where('id', '=', threadId ?? ''));
    // Waits for questions that are being opened in these conversations, so that they're deleted too.
    const known = await threads.orderBy('id').forUpdate().execute();
    const ofThreads = transaction
      .selectFrom('turns')
      .select('id')
      .where('thread_id', 'in', threads);
    const turnIds = (await ofThreads.execute()).map(({ id }) => id);
    /** Feedback on these answers; for a whole reader or site, also other feedback. */
    const isOpinion = (or: ExpressionBuilder<Tables, 'feedback'>) => {
      const ofTurns = or('turn_id', 'in', ofThreads);
      if (threadId !== undefined) return ofTurns;
      const ofSite = or('domain', '=', domain);
      return or.or([fp === undefined ? ofSite : or.and([ofSite, or('fp', '=', fp)]), ofTurns]);
    };
    const opinions = await transaction
      .selectFrom('feedback')
      .select('id')
      .where(isOpinion)
      .execute();
    const feedbackIds = opinions.map(({ id }) => id);
    await forgetQuoted(transaction, forgetWords, { feedback: feedbackIds, turns: turnIds });
    await forgetMade(transaction, turnIds);
    await forgetHandOvers(transaction, domain, { ...(fp !== undefined && { fp }), threadId });
    const feedback = await transaction.deleteFrom('feedback').where(isOpinion).executeTakeFirst();
    const turns = await transaction
      .deleteFrom('turns')
      .where('thread_id', 'in', threads)
      .executeTakeFirst();
    const conversations = await transaction
      .deleteFrom('threads')
      .where('id', 'in', threads)
      .executeTakeFirst();
    const counts = {
      threads: Number(conversations.numDeletedRows),
      questions: Number(turns.numDeletedRows),
      feedback: Number(feedback.numDeletedRows),
    };
    await record?.(transaction, counts);
    return [counts, known.map(({ id }) => id)] as const;
  });
  // A message of the bus must be short.
  for (const some of chunksOf(ids, 200)) await bus.publish(forgottenChannel, JSON.stringify(some));
  return gone;
}

/** Deletes what is older than each site's retention period. Returns the number of questions. */
export async function deleteExpired(
  { database, now, forgetWords }: RetentionDeps & { now: () => Date },
  sites: readonly Pick<SiteConfig, 'domain' | 'privacy'>[],
): Promise<number> {
  let deleted = 0;
  for (const { domain, privacy } of sites) {
    if (privacy.retentionDays === 'forever') continue;
    const before = new Date(now().getTime() - privacy.retentionDays * dayMs).toISOString();
    const threads = database.selectFrom('threads').select('id').where('domain', '=', domain);
    await forgetExpired({ database, forgetWords }, domain, before);
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
    await database.transaction().execute(async (tx) => {
      await deleteEmptyGaps(tx, domain);
      await forgetHandOvers(tx, domain, { before });
    });
    await database
      .deleteFrom('feedback')
      .where('domain', '=', domain)
      .where('updated_at', '<', before)
      .execute();
    deleted += Number(turns.numDeletedRows);
  }
  return deleted;
}

/** Removes expired words from the jobs that quote them. */
async function forgetExpired(
  { database, forgetWords }: RetentionDeps,
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
  await database.transaction().execute((tx) => forgetQuoted(tx, forgetWords, chosen));
}
