import type { Gap, GapStory } from '@docent/shared/analytics';
import { dayMs } from '../../platform/time.ts';
import type { Database } from '../../platform/store/database.ts';
import type { UsedPassage } from '../conversations/threads.ts';
import type { ReaderJobs } from '../analytics/jobs/reader-jobs.ts';
import type { Period } from '../analytics/summary.ts';
import { dot, type Vector } from './join-gap.ts';
import { DocentError } from '../../platform/errors.ts';

/** The newest questions of the period, which count. */
const maxQuestions = 5_000;
const maxExamples = 50;
const maxPages = 5;
const maxWords = 8;
/** Newest questions whose search results are read. */
const maxSearches = 50;
const maxWeeks = 26;
const weekMs = 7 * dayMs;

/** The gaps that readers asked about in a period, with what became of their jobs. */
export async function findGaps(
  database: Database,
  domain: string,
  period: Period,
  { outcomesOf }: Pick<ReaderJobs, 'outcomesOf'>,
  only?: string,
): Promise<{ questions: number; gaps: Gap[] }> {
  const asked = database
    .selectFrom('turns')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'turns.id')
    .innerJoin('gaps', 'gaps.id', 'gap_questions.gap_id')
    .where('gaps.domain', '=', domain)
    .where('turns.replaced_by', 'is', null);
  // Names the site's turns only where they are what's read: else, SQLite would read all of them.
  const unanswered = (
    only === undefined
      ? asked.where('turns.domain', '=', domain)
      : asked.where('gap_questions.gap_id', '=', only)
  )
    .where('turns.outcome', '=', 'unanswered')
    .where('turns.created_at', '>=', period.from)
    .where('turns.created_at', '<', period.to);
  /** They had an answer, until an index run of the period. */
  const lost = asked
    .innerJoin('gap_asks', 'gap_asks.id', 'gap_questions.lost_by')
    .$if(only !== undefined, (rows) => rows.where('gap_questions.gap_id', '=', only ?? ''))
    .where('gap_asks.domain', '=', domain)
    .where('turns.outcome', '=', 'answered')
    .where('gap_asks.finished_at', '>=', period.from)
    .where('gap_asks.finished_at', '<', period.to);
  const read = (some: typeof unanswered) =>
    some
      .innerJoin('threads', 'threads.id', 'turns.thread_id')
      .select([
        'turns.id',
        'turns.question as text',
        'turns.created_at',
        'turns.asked_on',
        'turns.passages',
        'threads.fp',
        'gap_questions.gap_id',
        'gap_questions.answered_by',
        'gap_questions.lost_by',
        'gap_questions.asked_at',
        'gaps.state',
        'gaps.answered_at',
      ])
      .orderBy('turns.created_at', 'desc')
      .orderBy('turns.id', 'desc')
      .limit(maxQuestions)
      .execute();
  const rows = [...(await read(unanswered)), ...(await read(lost))].toSorted(
    (a, b) => b.created_at.localeCompare(a.created_at) || b.id.localeCompare(a.id),
  );
  const gapIds = unanswered
    .select('gap_questions.gap_id')
    .union(lost.select('gap_questions.gap_id'));
  const terms = await database
    .selectFrom('gap_terms')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'gap_terms.turn_id')
    .innerJoin('turns', 'turns.id', 'gap_terms.turn_id')
    .select(['gap_questions.gap_id', 'turns.question as text', 'term', 'weight'])
    .where('gap_questions.gap_id', 'in', gapIds)
    .orderBy('turns.id')
    .execute();
  const termsOf = Map.groupBy(terms, ({ gap_id }) => gap_id);
  const jobs = await newestJobs(database, domain);
  const waiting = await countWaiting(database, domain);
  const byGap = Map.groupBy(rows, ({ gap_id }) => gap_id);
  const outcomes = await outcomesOf(
    domain,
    [...byGap.keys()].flatMap((id) => jobs.get(id) ?? []),
  );
  const gaps = [...byGap].map(([id, questions]): Gap => {
    const job = outcomes.get(jobs.get(id) ?? '') ?? null;
    const newest = questions[0];
    const { question = newest?.text ?? '', words } = describe(termsOf.get(id) ?? []);
    const isWaiting = waiting.get(id) ?? 0;
    const askedAt = questions.reduce((last, one) => maxOf(last, one.asked_at ?? ''), '');
    const answeredAt = newest?.answered_at ?? null;
    const mergedAt = job?.pullRequest?.state === 'merged' ? job.pullRequest.endedAt : null;
    return {
      id,
      state:
        newest?.state === 'dismissed'
          ? 'dismissed'
          : stateOf(job, { answeredAt, askedAt, isWaiting: isWaiting > 0 }),
      job,
      askedSince:
        mergedAt === null ? 0 : questions.filter((one) => one.created_at > mergedAt).length,
      question,
      answered: questions.filter((one) => one.answered_by !== null).length,
      waiting: isWaiting,
      lost: questions.filter((one) => one.lost_by !== null && one.answered_by === null).length,
      answeredAt,
      count: questions.length,
      readers: new Set(questions.map(({ fp }) => fp)).size,
      firstAskedAt: questions.at(-1)?.created_at ?? '',
      lastAskedAt: newest?.created_at ?? '',
      words,
      weeks: countWeeks(questions, period),
      examples: distinct(questions, question).slice(0, maxExamples),
      askedOn: mostFrequent(questions.flatMap((one) => one.asked_on ?? [])),
      nearestPages: nearest(questions.slice(0, maxSearches)),
    };
  });
  return {
    questions: rows.length,
    gaps: gaps.toSorted(
      (a, b) => b.count - a.count || a.firstAskedAt.localeCompare(b.firstAskedAt),
    ),
  };
}

/** The question with the most words that the others have, too; and these words, the most important first. */
function describe(terms: readonly { text: string; term: string; weight: number }[]) {
  const sum: Vector = new Map();
  const byText = new Map<string, Vector>();
  for (const { text, term, weight } of terms) {
    sum.set(term, (sum.get(term) ?? 0) + weight);
    const own: Vector = byText.get(text) ?? new Map();
    byText.set(text, own.set(term, weight));
  }
  const [question] = [...byText]
    .map(([text, own]) => ({ text, likeness: dot(own, sum) }))
    .toSorted((a, b) => b.likeness - a.likeness || a.text.length - b.text.length)
    .map(({ text }) => text);
  const words = [...sum].toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b));
  return { question, words: words.slice(0, maxWords).map(([word]) => word) };
}

const maxOf = (a: string, b: string) => (a > b ? a : b);

/** Everything here is in rows that events have written: no host of a repository is asked. */
function stateOf(
  job: Gap['job'],
  {
    answeredAt,
    askedAt,
    isWaiting,
  }: { answeredAt: string | null; askedAt: string; isWaiting: boolean },
): Gap['state'] {
  if (job?.status === 'active') return job.isQueued ? 'queued' : 'drafting';
  const pull = job?.pullRequest;
  if (pull?.state === 'open') return 'in-review';
  if (answeredAt !== null) return 'answered';
  // Once its questions were asked again, what remains is a gap as before. The host of the pull request has another clock.
  const isAsked = askedAt > (job?.finishedAt ?? '') && !isWaiting;
  return pull?.state === 'merged' && !isAsked ? 'merged' : 'open';
}

async function countWaiting(database: Database, domain: string): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('gap_asks')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'gap_asks.turn_id')
    .select(({ fn }) => ['gap_id', fn.countAll().as('asks')])
    .where('gap_asks.state', '=', 'waiting')
    .where('kind', '=', 'again')
    .where('gap_asks.domain', '=', domain)
    .groupBy('gap_id')
    .execute();
  return new Map(rows.map(({ gap_id, asks }) => [gap_id, Number(asks)]));
}

/** The newest job that a question of each gap led to. */
async function newestJobs(database: Database, domain: string): Promise<Map<string, string>> {
  const rows = await database
    .selectFrom('reader_jobs')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'reader_jobs.turn_id')
    .select(({ fn }) => ['gap_id', fn.max('job_id').as('job')])
    .where('domain', '=', domain)
    .where('job_id', 'is not', null)
    .groupBy('gap_id')
    .execute();
  return new Map(rows.map(({ gap_id, job }) => [gap_id, job ?? '']));
}

/** Different wordings, with the IDs of their questions. The representative comes first. */
function distinct(rows: { id: string; text: string }[], first: string): Gap['examples'] {
  const byText = Map.groupBy(rows, (row) => row.text);
  const texts = [...byText.keys()].toSorted((a, b) => Number(b === first) - Number(a === first));
  return texts.map((question) => {
    const messageIds = (byText.get(question) ?? []).map(({ id }) => id);
    return { messageId: messageIds[0] ?? '', question, messageIds };
  });
}

/** Questions in each week, the last of which ends with the period. */
function countWeeks(rows: { created_at: string }[], { from, to }: Period): number[] {
  const end = Date.parse(to);
  const length = Math.min(maxWeeks, Math.ceil((end - Date.parse(from)) / weekMs));
  const weeks = Array.from({ length }, () => 0);
  for (const row of rows) {
    const at = length - 1 - Math.floor((end - 1 - Date.parse(row.created_at)) / weekMs);
    if (at >= 0) weeks[at] = (weeks[at] ?? 0) + 1;
  }
  return weeks;
}

/** The pages that the search found, each counted once for a question. */
export function nearest(rows: { passages: string | null }[]): Gap['nearestPages'] {
  const titles = new Map<string, string>();
  const found = rows.flatMap(({ passages }) => {
    const pages = (JSON.parse(passages ?? '[]') as UsedPassage[]).map(({ url, title }) => {
      const page = url.replace(/#.*/, '');
      titles.set(page, title.split(' › ')[0] ?? title);
      return page;
    });
    return [...new Set(pages)];
  });
  return mostFrequent(found).map((url) => ({ url, title: titles.get(url) ?? url }));
}

function mostFrequent(values: string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, maxPages)
    .map(([value]) => value);
}

type Answers = GapStory['answers'];
type Sources = Answers[number]['before']['sources'];

/** What became of a gap: each wording with the answer that its reader got, and the one that it gets now. */
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
