/** What keys were used for in this month: the counters of the limits, and the sums of the budgets. */
import type { ManagedKey } from '@docent/shared/managed-keys';
import { windowOf } from '../../platform/limits/counters.ts';
import type { Database } from '../../platform/store/database.ts';

type Usage = Omit<ManagedKey['usage'], 'limit'>;

export async function usageOf(
  database: Database,
  keyIds: readonly string[],
  now: Date,
): Promise<Map<string, Usage>> {
  if (keyIds.length === 0) return new Map();
  const month = windowOf('month', now).start.toISOString();
  const counts = await database
    .selectFrom('counters')
    .select(['name', 'subject', 'hits'])
    .where('name', 'in', ['key-month', 'lookup-key-month'])
    .where('subject', 'in', keyIds)
    .where('window_start', '=', month)
    .execute();
  const spent = await database
    .selectFrom('spend')
    .select(['payer', 'micro_dollars'])
    .where('payer_kind', '=', 'key')
    .where('payer', 'in', keyIds)
    .where('period', '=', 'month')
    .where('window_start', '=', month)
    .execute();
  const hitsOf = (name: string, id: string) =>
    counts.find((each) => each.name === name && each.subject === id)?.hits ?? 0;
  return new Map(
    keyIds.map((id) => [
      id,
      {
        questions: hitsOf('key-month', id),
        requests: hitsOf('lookup-key-month', id),
        costUsd: Number(spent.find(({ payer }) => payer === id)?.micro_dollars ?? 0) / 1_000_000,
      },
    ]),
  );
}
