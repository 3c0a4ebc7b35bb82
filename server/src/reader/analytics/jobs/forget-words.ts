import type { Database } from '../../../platform/store/database.ts';
import { forgetWords } from '../../../platform/store/forget-words.ts';
import { toQuotable } from './prompts.ts';

/**
 * Removes what readers wrote from the jobs that quote it, before it's deleted itself. The agent's changes in
 * the repository belong to its owner.
 */
export async function forgetQuoted(
  tx: Database,
  chosen: { feedback: readonly string[]; turns: readonly string[] },
): Promise<void> {
  const rows = await tx
    .selectFrom('reader_jobs')
    .leftJoin('feedback', 'feedback.id', 'reader_jobs.feedback_id')
    .leftJoin('turns as rated', 'rated.id', 'feedback.turn_id')
    .leftJoin('turns', 'turns.id', 'reader_jobs.turn_id')
    .select(['reader_jobs.job_id', 'feedback.note', 'turns.question', 'rated.question as rated'])
    .where('reader_jobs.job_id', 'is not', null)
    .where((or) =>
      or.or([
        or('reader_jobs.feedback_id', 'in', [...chosen.feedback, '']),
        or('reader_jobs.turn_id', 'in', [...chosen.turns, '']),
      ]),
    )
    .execute();
  for (const [jobId, own] of Map.groupBy(rows, (row) => row.job_id ?? '')) {
    const texts = own.flatMap(({ note, question, rated }) => [note, question, rated]);
    const said = texts.flatMap((text) => (text ? [toQuotable(text)] : []));
    await forgetWords(
      tx,
      jobId,
      [...new Set(said)].filter((text) => text.length >= 4),
    );
  }
}
