/**
 * Which gap a question belongs to: the one with the most similar words. In a gap, questions with similar
 * words are a topic. A gap has one topic, or several after a person merged gaps, so that a merged gap
 * isn't too general for the questions that come later. What people decide about gaps is at the end.
 */
import { newId } from '../../platform/ids.ts';
import { chunksOf, type Database } from '../../platform/store/database.ts';
import { lockUntilCommit } from '../../platform/store/lease.ts';
import { contentWords } from '../../retrieval/ranker/question.ts';
import type { GapDecision, GapDecisionResponse } from '@docent/shared/analytics';
import type { Audit } from '../../notify/audit/audit.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { callerActor } from '../../platform/auth/caller.ts';

/** The minimum similarity of a question to a topic: the cosine of their words, weighted by rarity. */
export const alike = 0.45;

/** A longer text isn't one question; its rarest words say what it's about. */
const maxCharacters = 2_000;
const maxWords = 24;
/** The newest questions of a topic, whose words are its words. */
const maxMembers = 10;
/** Uses of a question's words that are looked up, and topics that it's compared with; rare words first. */
const maxUses = 500;
const maxTopics = 50;

/** Added to the number of gaps. Otherwise, among few gaps, shared words would count nothing. */
const unseen = 100;

/** The words of a question or a topic, with their weights. */
export type Vector = Map<string, number>;

interface Asked {
  id: string;
  domain: string;
  question: string;
}

/** Transactions that change the gaps of a site run one after the other. */
export const lockGaps = (tx: Database, domain: string) => lockUntilCommit(tx, `gaps ${domain}`);

/** Puts a turn without an answer into the gap of similar ones, or into a new gap; and says where it is. */
export async function joinGap(
  tx: Database,
  { id, domain, question, createdAt }: Asked & { createdAt: string },
  /** Where it belongs, if that's known. */
  into?: { gap: string; topic: string },
): Promise<{ gap: string; topic: string }> {
  await lockGaps(tx, domain);
  const { vector, uses } = await toVector(tx, domain, question);
  let nearest = into;
  let best = alike;
  const near = into ? [] : await topicsNear(tx, domain, vector, uses);
  for (const [topic, { gap, sum }] of near) {
    const cosine = dot(vector, sum) / (lengthOf(sum) || 1);
    if (cosine > best) [nearest, best] = [{ topic, gap }, cosine];
  }
  const gap_id = nearest?.gap ?? newId();
  const topic = nearest?.topic ?? newId();
  if (!nearest) {
    const gap = {
      id: gap_id,
      domain,
      state: 'open',
      decided_by: null,
      created_at: createdAt,
    } as const;
    await tx.insertInto('gaps').values(gap).execute();
  }
  await tx.insertInto('gap_questions').values({ turn_id: id, gap_id, topic }).execute();
  await tx.updateTable('gaps').set({ answered_at: null }).where('id', '=', gap_id).execute();
  await storeVector(tx, { id, domain }, vector);
  await trim(tx, topic);
  return { gap: gap_id, topic };
}

export async function deleteEmptyGaps(tx: Database, domain: string): Promise<void> {
  await lockGaps(tx, domain);
  await tx
    .deleteFrom('gaps')
    .where('domain', '=', domain)
    .where('id', 'not in', tx.selectFrom('gap_questions').select('gap_id'))
    .execute();
}

/** Gives words to a topic that a person made of questions that had none stored. */
export async function describeTopic(tx: Database, domain: string, topic: string): Promise<void> {
  const newest = await tx
    .selectFrom('gap_questions')
    .innerJoin('turns', 'turns.id', 'gap_questions.turn_id')
    .select(['turns.id', 'turns.question'])
    .where('topic', '=', topic)
    .orderBy('turns.id', 'desc')
    .limit(maxMembers)
    .execute();
  const ids = newest.map(({ id }) => id);
  await tx.deleteFrom('gap_terms').where('turn_id', 'in', ids).execute();
  for (const { id, question } of newest) {
    const { vector } = await toVector(tx, domain, question);
    await storeVector(tx, { id, domain }, vector);
  }
  await trim(tx, topic);
}

async function storeVector(tx: Database, { id, domain }: Omit<Asked, 'question'>, vector: Vector) {
  if (vector.size === 0) return;
  const rows = [...vector].map(([term, weight]) => ({ turn_id: id, domain, term, weight }));
  await tx.insertInto('gap_terms').values(rows).execute();
}

/** Keeps the words of the newest questions only, so that the work for a new one stays small. */
async function trim(tx: Database, topic: string): Promise<void> {
  const old = await tx
    .selectFrom('gap_questions')
    .innerJoin('gap_terms', 'gap_terms.turn_id', 'gap_questions.turn_id')
    .select('gap_questions.turn_id')
    .distinct()
    .where('topic', '=', topic)
    .orderBy('gap_questions.turn_id', 'desc')
    .offset(maxMembers)
    .limit(maxUses)
    .execute();
  if (old.length === 0) return;
  const ids = old.map(({ turn_id }) => turn_id);
  await tx.deleteFrom('gap_terms').where('turn_id', 'in', ids).execute();
}

/** The rarest words of a question first, weighted by rarity and scaled to length 1; and how often gaps have them. */
async function toVector(tx: Database, domain: string, question: string) {
  const words = contentWords(question.slice(0, maxCharacters));
  const { gaps } = await tx
    .selectFrom('gaps')
    .select(({ fn }) => fn.countAll().as('gaps'))
    .where('domain', '=', domain)
    .executeTakeFirstOrThrow();
  const counted = await tx
    .selectFrom('gap_terms')
    .select(({ fn }) => ['term', fn.countAll().as('uses')])
    .where('domain', '=', domain)
    .where('term', 'in', [...words.keys(), ''])
    .groupBy('term')
    .execute();
  const uses = new Map(counted.map((row) => [row.term, Number(row.uses)]));
  const weighted = [...words].map(([word, weight]): [string, number] => [
    word,
    weight * Math.log(1 + (Number(gaps) + unseen) / ((uses.get(word) ?? 0) + 1)),
  ]);
  const rarest = weighted.toSorted(([, a], [, b]) => b - a).slice(0, maxWords);
  const length = lengthOf(new Map(rarest)) || 1;
  return { vector: new Map(rarest.map(([word, weight]) => [word, weight / length])), uses };
}

/** The topics that share a rare word with a question, each with the sum of its questions' words. */
async function topicsNear(tx: Database, domain: string, vector: Vector, uses: Map<string, number>) {
  const rare: string[] = [];
  let left = maxUses;
  for (const term of vector.keys()) {
    const count = uses.get(term) ?? 0;
    if (count === 0) continue;
    if (rare.length > 0 && count > left) break;
    left -= count;
    rare.push(term);
  }
  const near = new Map<string, { gap: string; sum: Vector }>();
  if (rare.length === 0) return near;
  const found = await tx
    .selectFrom('gap_terms')
    .innerJoin('gap_questions', 'gap_questions.turn_id', 'gap_terms.turn_id')
    .select(['term', 'topic', 'gap_id'])
    .distinct()
    .where('domain', '=', domain)
    .where('term', 'in', rare)
    .limit(2 * maxUses)
    .execute();
  const byRarity = found.toSorted((a, b) => rare.indexOf(a.term) - rare.indexOf(b.term));
  for (const { topic, gap_id } of byRarity) {
    if (near.size < maxTopics) near.set(topic, { gap: gap_id, sum: new Map() });
  }
  const terms = await tx
    .selectFrom('gap_questions')
    .innerJoin('gap_terms', 'gap_terms.turn_id', 'gap_questions.turn_id')
    .select(({ fn }) => ['topic', 'term', fn.sum<number>('weight').as('weight')])
    .where('topic', 'in', [...near.keys()])
    .groupBy(['topic', 'term'])
    .execute();
  for (const { topic, term, weight } of terms) near.get(topic)?.sum.set(term, weight);
  return near;
}

export function dot(a: Vector, b: Vector): number {
  let sum = 0;
  for (const [word, weight] of a) sum += weight * (b.get(word) ?? 0);
  return sum;
}

export const lengthOf = (vector: Vector) => Math.sqrt(dot(vector, vector));

/** Whether all of a gap's questions have an answer now. */
export async function settleGap(tx: Database, gap: string, at: Date): Promise<void> {
  const open = await tx
    .selectFrom('gap_questions')
    .innerJoin('turns', 'turns.id', 'gap_questions.turn_id')
    .select('turns.id')
    .where('gap_id', '=', gap)
    .where('answered_by', 'is', null)
    .where('turns.replaced_by', 'is', null)
    .limit(1)
    .executeTakeFirst();
  const rows = tx.updateTable('gaps').where('id', '=', gap);
  if (open) return void (await rows.set({ answered_at: null }).execute());
  const answered_at = at.toISOString();
  await rows.set({ answered_at }).where('answered_at', 'is', null).execute();
}

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
