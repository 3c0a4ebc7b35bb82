import type { Database } from '../../../platform/store/database.ts';
import type { ForgetWords } from '../../../platform/tenants/projects.ts';
import { toQuotable } from './prompts.ts';

/**
 * Removes what readers wrote from the jobs that quote it, before it's deleted itself. The agent's changes in
 * the repository belong to its owner.
 */
export async function forgetQuoted(
  tx: Database,
  forgetWords: ForgetWords,
  chosen: { feedback: readonly string[]; turns: readonly string[] },
): Promise<void> {
  const rows = await tx
    .selectFrom('reader_jobs')
    .select(['job_id', 'quoted'])
    .where((or) =>
      or.or([
        or('feedback_id', 'in', [...chosen.feedback, '']),
        or('turn_id', 'in', [...chosen.turns, '']),
      ]),
    )
    // Waits for jobs that are being created from them.
    .forUpdate()
    .execute();
  for (const { job_id: jobId, quoted } of rows) {
    if (jobId === null || quoted === null) continue;
    const texts = new Set((JSON.parse(quoted) as string[]).map(toQuotable));
    await forgetWords(
      tx,
      jobId,
      [...texts].filter((text) => text.length >= 4),
    );
  }
}
