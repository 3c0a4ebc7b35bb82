import type { GapDecision, GapDecisionResponse } from '@docent/shared/analytics';
import { type Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { callerActor } from '../../platform/auth/caller.ts';
import { settleGap } from './asks.ts';
import { deleteEmptyGaps, describeTopic, lockGaps } from './join-gap.ts';

/**
 * Stores which questions belong together, and which gaps are dismissed. A decision never changes: another
 * one replaces it, and of two people who replace the same one, the second gets `conflict`. Questions that
 * only similar words brought together need no `replaces`.
 */
export async function decideGaps(
  { database, now, audit }: { database: Database; now: () => Date; audit: Pick<Audit, 'record'> },
  { domain, organization }: Pick<Site, 'domain' | 'organization'>,
  { gaps, replaces }: GapDecision,
  by: string,
): Promise<GapDecisionResponse> {
  const wanted = gaps.map((gap) => ({ ...gap, id: newId() }));
  await database.transaction().execute(async (tx) => {
    await lockGaps(tx, domain);
    const old = await tx
      .selectFrom('gaps')
      .select('id')
      .where('domain', '=', domain)
      .where('id', 'in', [...replaces, ''])
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
    for (const { id, messageIds } of wanted) {
      await move(tx, domain, { chosen: [...new Set(messageIds)], to: id, replaces });
    }
    // Questions from outside the period that the person saw.
    await tx
      .updateTable('gap_questions')
      .set({ gap_id: wanted[0]?.id ?? '' })
      .where('gap_id', 'in', [...replaces, ''])
      .execute();
    await deleteEmptyGaps(tx, domain);
    for (const { id } of wanted) await settleGap(tx, id, now());
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

/** Moves questions to a gap. There, those with similar words are a topic of their own. */
async function move(
  tx: Database,
  domain: string,
  { chosen, to, replaces }: { chosen: string[]; to: string; replaces: readonly string[] },
): Promise<void> {
  const topics = new Map<string, string>();
  for (const some of chunksOf(chosen)) {
    const known = await tx
      .selectFrom('gap_questions')
      .innerJoin('gaps', 'gaps.id', 'gap_questions.gap_id')
      .select(['turn_id', 'gap_id', 'topic', 'decided_by'])
      .where('domain', '=', domain)
      .where('turn_id', 'in', some)
      .execute();
    if (known.length < some.length) {
      throw new DocentError(
        'not_found',
        'There is no such question without an answer on this site.',
      );
    }
    const isFree = (row: (typeof known)[number]) =>
      row.decided_by === null || replaces.includes(row.gap_id);
    if (!known.every(isFree)) throw changed();
    for (const [old, own] of Map.groupBy(known, ({ topic }) => topic)) {
      const topic = topics.get(old) ?? newId();
      topics.set(old, topic);
      const ids = own.map(({ turn_id }) => turn_id);
      await tx
        .updateTable('gap_questions')
        .set({ gap_id: to, topic })
        .where('turn_id', 'in', ids)
        .execute();
    }
  }
  for (const topic of topics.values()) await describeTopic(tx, domain, topic);
}

const changed = () =>
  new DocentError(
    'conflict',
    'Someone merged, split, or dismissed these questions in the meantime.',
  );
