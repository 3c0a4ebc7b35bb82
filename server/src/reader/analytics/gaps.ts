import type { Gap } from '@docent/shared/analytics';
import type { Database } from '../../platform/store/database.ts';
import type { UsedPassage } from '../conversations/threads.ts';
import type { RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { runInWorker } from '../../platform/workers/workers.ts';
import type { readerTasks } from '../reader-tasks.ts';
import type { ReaderJobs } from './jobs/reader-jobs.ts';
import type { Period } from './summary.ts';

/** Only the newest questions count. More would take seconds to group. */
const maxQuestions = 5_000;
const maxExamples = 50;
const maxPages = 5;
const maxWeeks = 26;
const weekMs = 7 * 86_400_000;

/**
 * The questions of a period that the documentation didn't answer, grouped by what they ask for or as a
 * person decided, with what became of their jobs.
 */
export async function findGaps(
  database: Database,
  domain: string,
  period: Period,
  { outcomesOf }: Pick<ReaderJobs, 'outcomesOf'>,
): Promise<{ questions: number; gaps: Gap[] }> {
  const rows = await database
    .selectFrom('turns')
    .innerJoin('threads', 'threads.id', 'turns.thread_id')
    .leftJoin('gap_questions', 'gap_questions.turn_id', 'turns.id')
    .leftJoin('gaps', 'gaps.id', 'gap_questions.gap_id')
    .select([
      'turns.id',
      'turns.question as text',
      'turns.created_at',
      'turns.asked_on',
      'turns.passages',
      'threads.fp',
      'gaps.id as group',
      'gaps.state',
    ])
    .where('turns.domain', '=', domain)
    .where('turns.outcome', '=', 'unanswered')
    .where('turns.replaced_by', 'is', null)
    .where('turns.created_at', '>=', period.from)
    .where('turns.created_at', '<', period.to)
    .orderBy('turns.created_at', 'desc')
    .orderBy('turns.id', 'desc')
    .limit(maxQuestions)
    .execute();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const grouped = await (runInWorker as RunTaskOf<typeof readerTasks>)(
    'groupQuestions',
    rows.map(({ id, text, group }) => ({ id, text, group: group ?? undefined })),
  );
  const groups = grouped.map(({ questions, ...rest }) => ({
    ...rest,
    questions: questions.flatMap(({ id }) => byId.get(id) ?? []),
  }));
  const jobs = await jobsOf(database, domain);
  const newestOf = (questions: readonly { id: string }[]) =>
    questions
      .flatMap(({ id }) => jobs.get(id) ?? [])
      .toSorted()
      .at(-1) ?? '';
  const newest = groups.map(({ questions }) => newestOf(questions)).filter(Boolean);
  const outcomes = await outcomesOf(domain, newest);
  const gaps = groups.map(({ questions, representative, words, group }): Gap => {
    const job = outcomes.get(newestOf(questions)) ?? null;
    const isDismissed = questions.some(({ state }) => state === 'dismissed');
    const times = questions.map(({ created_at }) => created_at).toSorted();
    const mergedAt = job?.pullRequest?.state === 'merged' ? job.pullRequest.endedAt : null;
    return {
      id: group ?? null,
      state: isDismissed ? 'dismissed' : stateOf(job),
      job,
      askedSince:
        mergedAt === null ? 0 : questions.filter((one) => one.created_at > mergedAt).length,
      question: representative.text,
      count: questions.length,
      readers: new Set(questions.map((question) => question.fp)).size,
      firstAskedAt: times[0] ?? '',
      lastAskedAt: times.at(-1) ?? '',
      words,
      weeks: countWeeks(questions, period),
      examples: distinct(questions, representative.text).slice(0, maxExamples),
      askedOn: mostFrequent(questions.flatMap((question) => question.asked_on ?? [])),
      nearestPages: nearest(questions),
    };
  });
  return { questions: rows.length, gaps };
}

function stateOf(job: Gap['job']): Gap['state'] {
  if (job?.status === 'active') return 'in-progress';
  const pull = job?.pullRequest?.state;
  if (pull === 'merged') return 'merged';
  return pull === 'open' ? 'in-review' : 'open';
}

/** The jobs that questions led to. */
async function jobsOf(database: Database, domain: string): Promise<Map<string, string[]>> {
  const rows = await database
    .selectFrom('reader_jobs')
    .select(['turn_id', 'job_id'])
    .where('domain', '=', domain)
    .where('turn_id', 'is not', null)
    .where('job_id', 'is not', null)
    .execute();
  const byTurn = Map.groupBy(rows, (row) => row.turn_id ?? '');
  return new Map([...byTurn].map(([turn, own]) => [turn, own.map((row) => row.job_id ?? '')]));
}

/** Different wordings, with the IDs of their questions. The representative comes first. */
function distinct(rows: { id: string; text: string }[], first: string): Gap['examples'] {
  const byText = Map.groupBy(rows, (row) => row.text);
  const texts = new Set([first, ...byText.keys()]);
  return [...texts].map((question) => {
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
function nearest(rows: { passages: string | null }[]): Gap['nearestPages'] {
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
