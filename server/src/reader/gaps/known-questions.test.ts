/** Which questions pages answer, on both databases. */
import { expect, test } from 'vitest';
import { eachDatabase } from '../../../testing/each-database.ts';
import { endUnanswered } from '../../../testing/unanswered-turn.ts';
import { endAsk, queueTurns } from './asks.ts';
import { knownQuestions } from './known-questions.ts';

const domain = 'docs';
const createdAt = '2026-11-10T12:00:00.000Z';
const at = new Date(createdAt);
const question = 'How do I revoke a key?';
const site = {
  domain,
  docs: { baseUrl: 'https://docs.example', sources: [], allowPrivateHosts: [] },
};

eachDatabase((openNew) => {
  test('what was answered when it was asked again is known by its new sources, until it is lost', async () => {
    const { database } = await openNew();
    const turn = { id: 'q', domain, question };
    await endUnanswered(database, turn, createdAt);
    const known = (path: string) => knownQuestions(database, site, new Set([path]), 10);
    const askAgain = async (kind: 'again' | 'check', outcome: 'answered' | 'unanswered') => {
      const cause = { domain, kind, cause: `${kind} 1`, since: createdAt, needs: 'run' } as const;
      await queueTurns(database, ['q'], cause, at);
      const ask = await database
        .updateTable('gap_asks')
        .set({ owner: 'me' })
        .where('kind', '=', kind)
        .returningAll()
        .executeTakeFirstOrThrow();
      const sources = JSON.stringify([{ id: '1', url: 'https://docs.example/keys#revoke' }]);
      const found = { outcome, sources, answer: '', model: 'm', micro_dollars: 0 };
      await endAsk(database, ask, { ...found, indexed_at: createdAt, commits: '[]' }, at);
    };

    expect(await known('/keys')).toEqual([]);
    await askAgain('again', 'answered');
    expect(await known('/keys')).toEqual([
      { turnId: 'q', threadId: 't', question, pages: ['/keys'] },
    ]);
    expect(await known('/install')).toEqual([]);
    await askAgain('check', 'unanswered');
    expect(await known('/keys')).toEqual([]);
  });
});
