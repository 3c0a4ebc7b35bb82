import type { Gap } from '@docent/shared/analytics';
import type { Database } from '../../platform/store/database.ts';
import { groupQuestions } from './group-questions.ts';
import type { Period } from './summary.ts';

/** Only the newest questions count. More would take seconds to group. */
const maxQuestions = 5_000;
const maxExamples = 5;

/** The questions of a period that the documentation didn't answer, grouped by what they ask for. */
export async function findGaps(
  database: Database,
  domain: string,
  { from, to }: Period,
): Promise<{ questions: number; gaps: Gap[] }> {
  const rows = await database
    .selectFrom('turns')
    .innerJoin('threads', 'threads.id', 'turns.thread_id')
    .select([
      'turns.id',
      'turns.question as text',
      'turns.created_at',
      'turns.asked_on',
      'threads.fp',
    ])
    .where('threads.domain', '=', domain)
    .where('turns.outcome', '=', 'unanswered')
    .where('turns.replaced_by', 'is', null)
    .where('turns.created_at', '>=', from)
    .where('turns.created_at', '<', to)
    .orderBy('turns.id', 'desc')
    .limit(maxQuestions)
    .execute();
  const groups = await groupQuestions(rows);
  const gaps = groups.map(({ questions, representative, words }): Gap => ({
    question: representative.text,
    count: questions.length,
    readers: new Set(questions.map((question) => question.fp)).size,
    firstAskedAt: questions[0]?.created_at ?? '',
    lastAskedAt: questions.at(-1)?.created_at ?? '',
    words,
    examples: distinct(questions, representative.text)
      .slice(0, maxExamples)
      .map(({ id, text }) => ({ messageId: id, question: text })),
    askedOn: mostFrequent(questions.flatMap((question) => question.asked_on ?? [])),
  }));
  return { questions: rows.length, gaps };
}

/** Removes repeated wordings. The representative comes first. */
function distinct<Row extends { text: string }>(rows: Row[], first: string): Row[] {
  const byText = new Map<string, Row>();
  for (const row of rows) if (!byText.has(row.text)) byText.set(row.text, row);
  const leader = byText.get(first);
  byText.delete(first);
  return [...(leader ? [leader] : []), ...byText.values()];
}

function mostFrequent(values: string[]): string[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, maxExamples)
    .map(([value]) => value);
}
