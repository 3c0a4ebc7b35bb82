/** Who gets the weekly email of an organization, and when the next one is due. */
import type { Database, Store } from '../../platform/store/database.ts';
import { nextTime } from '../../platform/next-time.ts';

/** Mondays at 8. */
const nextDigest = (timeZone: string, after: Date) =>
  nextTime('0 8 * * 1', timeZone, after).toISOString();

interface Membership {
  personId: string;
  organization: string;
}

export const readDigest = (database: Database, { personId, organization }: Membership) =>
  database
    .selectFrom('memberships')
    .select(['digest_zone as timeZone', 'digest_due_at as nextAt'])
    .where('person_id', '=', personId)
    .where('organization', '=', organization)
    .executeTakeFirst();

/** Throws `bad_request` for a time zone that is none. Null: no more emails. */
export async function setDigest(
  database: Database,
  { personId, organization }: Membership,
  timeZone: string | null,
  now: Date,
): Promise<void> {
  const nextAt = timeZone === null ? null : nextDigest(timeZone, now);
  await database
    .updateTable('memberships')
    .set({ digest_zone: timeZone, digest_due_at: nextAt })
    .where('person_id', '=', personId)
    .where('organization', '=', organization)
    .execute();
}

export interface DueDigest extends Membership {
  name: string;
  email: string;
  timeZone: string;
  dueAt: string;
}

export async function dueDigests({
  database,
  clock,
}: Pick<Store, 'database' | 'clock'>): Promise<DueDigest[]> {
  const rows = await database
    .selectFrom('memberships')
    .innerJoin('people', 'people.id', 'memberships.person_id')
    .select(['person_id as personId', 'organization', 'name', 'email'])
    .select(['digest_zone as timeZone', 'digest_due_at as dueAt'])
    .where('digest_due_at', '<=', clock())
    .where('disabled_at', 'is', null)
    .execute();
  return rows.flatMap(({ timeZone, dueAt, ...row }) =>
    timeZone === null || dueAt === null ? [] : [{ ...row, timeZone, dueAt }],
  );
}

/** Of several processes, one gets `true`. */
export async function claimDigest(tx: Database, digest: DueDigest, now: Date): Promise<boolean> {
  const { personId, organization, timeZone, dueAt } = digest;
  // The clock of this process may be late.
  const after = new Date(Math.max(now.getTime(), Date.parse(dueAt)));
  const { numUpdatedRows } = await tx
    .updateTable('memberships')
    .set({ digest_due_at: nextDigest(timeZone, after) })
    .where('person_id', '=', personId)
    .where('organization', '=', organization)
    .where('digest_due_at', '=', dueAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
