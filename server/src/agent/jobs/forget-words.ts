import { sql } from 'kysely';
import { forgetInDeliveries } from '../../notify/webhooks/deliveries.ts';
import type { Database } from '../../platform/store/database.ts';
import type { ForgetWords } from '../../platform/tenants/projects.ts';

/** Replaces the words of a forgotten reader. */
const deleted = '[deleted]';

/** Removes a reader's words from an agent job: from its row, its instructions, its conversation, its log, and its webhooks. */
export const forgetWords: ForgetWords = async function forgetWords(
  tx: Database,
  jobId: string,
  texts: readonly string[],
): Promise<void> {
  for (const text of texts) {
    // JSON escapes quotation marks.
    const inJson = JSON.stringify(text).slice(1, -1);
    const without = (column: string, words: string) =>
      sql<string>`replace(${sql.ref(column)}, ${words}, ${deleted})`;
    await tx
      .updateTable('agent_jobs')
      .set({
        title: without('title', text),
        message: without('message', text),
        summary: without('summary', text),
        notice: without('notice', text),
        todos: without('todos', inJson),
        failure: without('failure', inJson),
      })
      .where('id', '=', jobId)
      .execute();
    await forgetInDeliveries(tx, jobId, { text: inJson, instead: deleted });
    await tx
      .updateTable('agent_instructions')
      .set({ content: without('content', text) })
      .where('job_id', '=', jobId)
      .execute();
    await tx
      .updateTable('agent_messages')
      .set({ message: without('message', inJson) })
      .where('job_id', '=', jobId)
      .execute();
    await tx
      .updateTable('agent_events')
      .set({ data: without('data', inJson) })
      .where('job_id', '=', jobId)
      .execute();
  }
};
