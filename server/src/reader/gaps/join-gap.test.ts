/** Which questions are one gap, on both databases. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { endUnanswered } from '../../../testing/unanswered-turn.ts';
import type { Database } from '../../platform/store/database.ts';
import { decideGaps, joinGap } from './join-gap.ts';
import { findGaps } from './gaps.ts';

const domain = 'docs';
const createdAt = '2026-11-10T12:00:00.000Z';
const noJobs = { outcomesOf: () => Promise.resolve(new Map()) };
const all = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z' };

/** Ends turns without an answer, one after the other. */
async function ask(database: Database, texts: readonly string[], prefix = ''): Promise<void> {
  for (const [at, question] of texts.entries()) {
    const id = prefix + String(at).padStart(4, '0');
    await endUnanswered(database, { id, domain, question }, createdAt);
  }
}

/** The numbers of the questions of each gap, the largest gap first. */
async function shape(database: Database): Promise<string[]> {
  const rows = await database.selectFrom('gap_questions').selectAll().orderBy('turn_id').execute();
  return [...Map.groupBy(rows, ({ gap_id }) => gap_id).values()]
    .map((own) => own.map(({ turn_id }) => Number(turn_id)))
    .toSorted((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0))
    .map(String);
}

/** Letters only, because the search cuts other words. */
const word = (name: string, at: number) =>
  `${name}${String(at).replaceAll(/./g, (digit) => `${'bcdfghjklm'[Number(digit)]}a`)}a`;
const words = (name: string, count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => word(name, from + at)).join(' ');

eachDatabase((openNew, engine) => {
  test('questions that ask for the same are one gap', async () => {
    const { database } = await openNew();
    await ask(database, [
      'How do I run Kestrel in Docker?',
      'Is there a docker image of Kestrel?',
      'kestrel docker compose example',
      'Does Kestrel have a GraphQL API?',
      'GraphQL endpoint?',
      'Which batteries fit into the remote sensor?',
      'What?',
      'Why?',
    ]);
    expect(await shape(database)).toEqual(['0,1,2', '3,4', '5', '6', '7']);
    const { questions, gaps } = await findGaps(database, domain, all, noJobs);
    expect(questions).toBe(8);
    expect(gaps[0]?.question).toMatch(/docker/i);
    expect(gaps[0]?.words).toContain('docker');
    expect(gaps[1]?.words).toContain('graphql');
  });

  test('two turns that end at once join one gap', async () => {
    const { database } = await openNew();
    await Promise.all([
      ask(database, ['How do I export invoices as PDF?'], '1'),
      ask(database, ['Export invoices as a PDF file'], '2'),
    ]);
    expect(await shape(database)).toEqual(['10000,20000']);
  });

  test('only the newest ten questions of a topic keep their words, which go with the question', async () => {
    const { database } = await openNew();
    await ask(
      database,
      Array.from({ length: 14 }, (_, at) => `export invoices ${word('x', at)}`),
    );
    const kept = await database.selectFrom('gap_terms').select('turn_id').distinct().execute();
    expect(kept.map(({ turn_id }) => Number(turn_id)).toSorted((a, b) => a - b)).toEqual([
      4, 5, 6, 7, 8, 9, 10, 11, 12, 13,
    ]);
    await database.deleteFrom('turns').where('id', '=', '0007').execute();
    const gone = await database
      .selectFrom('gap_terms')
      .select('turn_id')
      .where('term', '=', word('x', 7))
      .execute();
    expect(gone).toEqual([]);
  });

  test('what a person splits off attracts its own questions, even if it kept no words', async () => {
    const { database } = await openNew();
    await ask(database, [
      'export invoices to Excel',
      ...Array.from({ length: 11 }, () => 'export invoices as PDF'),
    ]);
    const audit = { record: () => Promise.resolve() };
    const site = { domain, organization: 'o' };
    const [whole] = await database.selectFrom('gaps').select('id').execute();
    const decision = {
      gaps: [
        { messageIds: ['0000'], state: 'open' as const },
        {
          messageIds: Array.from({ length: 11 }, (_, at) => String(at + 1).padStart(4, '0')),
          state: 'open' as const,
        },
      ],
      replaces: [whole?.id ?? ''],
    };
    await decideGaps({ database, now: () => new Date(), audit }, site, decision, 'ann');
    await ask(database, ['invoices: export to Excel?'], '5');
    await ask(database, ['PDF export of invoices'], '6');
    expect(await shape(database)).toEqual(['1,2,3,4,5,6,7,8,9,10,11,60000', '0,50000']);
  });

  // The rest is the same code on both.
  if (engine === 'postgres') return;

  const shapeOf = async (texts: readonly string[]) => {
    const { database } = await openNew();
    await ask(database, texts);
    return shape(database);
  };
  const together = (gaps: string[], a: number, b: number) =>
    gaps.some((gap) => [a, b].every((one) => gap.split(',').includes(String(one))));

  test('of two long ones on one subject, its few rare words count', async () => {
    const common = Array.from(
      { length: 260 },
      (_, at) => `${words(word('own', at), 16)} ${words('common', 8, (at % 26) * 8)}`,
    );
    const subject = words('subject', 8);
    const gaps = await shapeOf([
      ...common,
      `${subject} ${words('common', 100)}`,
      `${words('common', 100, 100)} ${subject}`,
    ]);
    expect([together(gaps, 260, 261), together(gaps, 0, 260)]).toEqual([true, false]);
  });

  test('what comes after 2,000 characters does not count', async () => {
    const late = (characters: number) => `${'the '.repeat(characters / 4)}${words('subject', 6)}`;
    const gaps = await shapeOf([words('subject', 6), late(1_600), late(2_400)]);
    expect([together(gaps, 0, 1), together(gaps, 0, 2)]).toEqual([true, false]);
  });

  test('with 1,000 different questions, what one more reads is bounded', async () => {
    const { database } = await openNew();
    await ask(
      database,
      Array.from({ length: 1_000 }, (_, at) => `kestrel ${words(word('q', at), 5)}`),
    );
    let rows = 0;
    const counting = database.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        rows += result.rows.length;
        return Promise.resolve(result);
      },
    });
    const question = `kestrel ${words(word('q', 7), 4)} compose`;
    await counting.transaction().execute(async (tx) => {
      await sql`insert into turns select 'z', thread_id, domain, status, ${question}, context, answer, sources, model, null, null, null, created_at, null, null, owner, outcome, null, null, null, null, null, null, null, null, null, null, null from turns where id = '0007'`.execute(
        tx,
      );
      await joinGap(tx, { id: 'z', domain, question, createdAt });
    });
    expect(rows).toBeLessThan(500);
    const [own, other] = await database
      .selectFrom('gap_questions')
      .select('gap_id')
      .where('turn_id', 'in', ['0007', 'z'])
      .execute();
    expect(own?.gap_id).toBe(other?.gap_id);
  });
});
