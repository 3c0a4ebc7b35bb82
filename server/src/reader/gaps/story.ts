/** What became of a gap: each wording with the answer that its reader got, and the one that it gets now. */
import type { GapStory } from '@docent/shared/analytics';
import { DocentError } from '../../platform/errors.ts';
import type { Database } from '../../platform/store/database.ts';
import type { ReaderJobs } from '../analytics/jobs/reader-jobs.ts';
import { findGaps } from './gaps.ts';

type Answers = GapStory['answers'];
type Sources = Answers[number]['before']['sources'];

export async function readGap(
  database: Database,
  site: { domain: string; docs: { baseUrl?: string | undefined } },
  id: string,
  now: Date,
  jobs: Pick<ReaderJobs, 'outcomesOf' | 'filesOf'>,
): Promise<GapStory> {
  const always = {
    from: '2000-01-01T00:00:00.000Z',
    to: new Date(now.getTime() + 1).toISOString(),
  };
  const [gap] = (await findGaps(database, site.domain, always, jobs, id)).gaps;
  if (!gap) throw new DocentError('not_found', 'There is no such gap on this site.');
  const idsOf = gap.examples.map(({ messageIds }) => messageIds);
  const all = idsOf.flat();
  const turns = await database
    .selectFrom('turns')
    .select(['id', 'thread_id', 'question', 'answer', 'sources', 'outcome', 'created_at'])
    .where('id', 'in', gap.examples.map(({ messageId }) => messageId).concat(''))
    .execute();
  const asks = await database
    .selectFrom('gap_asks')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'gap_asks.turn_id')
    .selectAll('gap_asks')
    .where('gap_id', '=', id)
    // A check that lost nothing says nothing new.
    .where((or) => or.or([or('kind', '=', 'again'), or('is_lost', '=', 1)]))
    .orderBy('gap_asks.id', 'desc')
    .limit(all.length * 4 + 100)
    .execute();
  const byId = new Map(turns.map((turn) => [turn.id, turn]));
  const answers = gap.examples.flatMap(({ messageId, messageIds, question }): Answers => {
    const turn = byId.get(messageId);
    if (!turn) return [];
    const own = new Set(messageIds);
    const ask = asks.find(({ turn_id }) => own.has(turn_id));
    const before = {
      outcome: turn.outcome,
      answer: turn.answer,
      sources: JSON.parse(turn.sources) as Sources,
      at: turn.created_at,
    };
    const after = ask && {
      outcome: ask.outcome,
      answer: ask.answer,
      sources: JSON.parse(ask.sources) as Sources,
      cause: ask.cause.split(' ')[0] as 'merge' | 'owner' | 'index',
      state: ask.state,
      at: ask.finished_at,
      indexedAt: ask.indexed_at,
      commits: JSON.parse(ask.commits) as string[],
      model: ask.model,
      isLost: ask.is_lost === 1,
      error: ask.error,
    };
    const { thread_id: threadId } = turn;
    const count = messageIds.length;
    return [{ messageId, threadId, question, count, before, after: after ?? null }];
  });
  const urls = gap.nearestPages.map(({ url }) => url);
  const files = await jobs.filesOf(site, urls);
  const nearestPages = gap.nearestPages.map((page) => ({
    ...page,
    source: files.get(page.url)?.file,
  }));
  return { ...gap, nearestPages, answers };
}
