import type { GapDecision, GapDecisionResponse } from '@docent/shared/analytics';
import { type Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { chunksOf } from '../../platform/store/chunks.ts';
import type { Database } from '../../platform/store/database.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { callerActor } from '../../platform/auth/caller.ts';

/**
 * Stores which questions belong together, and which gaps are dismissed. A decision never changes: another
 * one replaces it, and of two people who replace the same one, the second gets `conflict`.
 */
export async function decideGaps(
  { database, now, audit }: { database: Database; now: () => Date; audit: Pick<Audit, 'record'> },
  { domain, organization }: Pick<Site, 'domain' | 'organization'>,
  { gaps, replaces }: GapDecision,
  by: string,
): Promise<GapDecisionResponse> {
  const wanted = gaps.map((gap) => ({ ...gap, id: newId() }));
  await database.transaction().execute(async (tx) => {
    const old = await tx
      .selectFrom('gaps')
      .select('id')
      .where('domain', '=', domain)
      .where('id', 'in', [...replaces, ''])
      .forUpdate()
      .execute();
    if (old.length < new Set(replaces).size) throw changed();
    const rows = wanted.map(({ id, state }) => ({
      id,
      domain,
      state,
      decided_by: by,
      created_at: now().toISOString(),
    }));
    await tx.insertInto('gaps').values(rows).execute();
    for (const { id: gap_id, messageIds } of wanted) {
      for (const some of chunksOf([...new Set(messageIds)])) {
        const known = await tx
          .selectFrom('turns')
          .select('id')
          .where('domain', '=', domain)
          .where('id', 'in', some)
          .execute();
        if (known.length < some.length) {
          throw new DocentError('not_found', 'There is no such question on this site.');
        }
        await tx
          .deleteFrom('gap_questions')
          .where('turn_id', 'in', some)
          .where('gap_id', 'in', [...replaces, ''])
          .execute();
        const { numInsertedOrUpdatedRows } = await tx
          .insertInto('gap_questions')
          .values(some.map((turn_id) => ({ turn_id, gap_id })))
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        if (numInsertedOrUpdatedRows !== BigInt(some.length)) throw changed();
      }
    }
    // Questions from outside the period that the person saw.
    await tx
      .updateTable('gap_questions')
      .set({ gap_id: wanted[0]?.id ?? '' })
      .where('gap_id', 'in', [...replaces, ''])
      .execute();
    await tx
      .deleteFrom('gaps')
      .where('id', 'in', [...replaces, ''])
      .execute();
    const data = {
      gaps: wanted.map(({ id, state, messageIds }) => ({
        id,
        state,
        questions: messageIds.length,
      })),
      replaces,
    };
    const actor = callerActor(by);
    await audit.record(tx, { organization, actor, type: 'gap.decided', data });
  });
  return { gaps: wanted.map(({ id, state }) => ({ id, state })) };
}

const changed = () =>
  new DocentError(
    'conflict',
    'Someone merged, split, or dismissed these questions in the meantime.',
  );
