/** How an answer ends while its database is away for a moment. */
import { expect, test } from 'vitest';
import { checkConfig } from '../../platform/config/load.ts';
import { DatabaseUnavailable } from '../../platform/errors.ts';
import { createLog } from '../../platform/log.ts';
import { createModels } from '../../platform/models/model.ts';
import type { EndedTurn } from '../conversations/threads.ts';
import { createExtractiveModel } from '../extractive/extractive-model.ts';
import { createPaidSearch } from '../search/paid-search.ts';
import { unsaid } from '../words/words.ts';
import { answer } from './answer.ts';
import { toQuestion } from './question.ts';

const { config, environment } = checkConfig(
  {
    sites: [
      {
        domain: 'docs',
        organization: 'kestrel',
        name: 'Kestrel',
        docs: { folder: '.' },
        allowedOrigins: [],
      },
    ],
  },
  { folder: import.meta.dirname, variables: {} },
);

/** Fails so many times, and then works. */
function failing<Result>(times: number, work: () => Result): () => Promise<Result> {
  let left = times;
  return async () => {
    left -= 1;
    if (left < 0) return work();
    throw new DatabaseUnavailable('The database is away.', { retryAfter: 1, cause: 'test' });
  };
}

async function ask(failures: { settle: number; end: number }) {
  const [site] = config.sites;
  if (!site) throw new Error('There is no site.');
  const ended: EndedTurn[] = [];
  const reservation = { add: () => undefined, addEmbedded: () => undefined };
  const spend = {
    reserve: async () => reservation,
    settle: failing(failures.settle, () => ({ tokens: 5, microDollars: 7 })),
  };
  const end = failing(failures.end, () => undefined);
  const retriever = {
    search: async () => ({ pages: [], coverage: 0, isFallback: false }),
    page: async () => undefined,
  };
  const parts = answer(
    {
      question: toQuestion({ fp: 'jo', messages: [{ role: 'user', content: 'Hello?' }] } as never),
      site,
      caller: { id: 'K', kind: 'key', organization: 'kestrel', groups: [] } as never,
    },
    {
      models: await createModels(config, environment, createExtractiveModel({ paceMs: 0 })),
      paidSearch: createPaidSearch({ retriever: retriever as never, spend, hasEmbedder: false }),
      retriever,
      spend,
      words: { of: async () => unsaid },
      threads: {
        open: async () => ({ threadId: 'T', turnId: 'U', history: [], isHistoryOurs: false }),
        end: async (_turn, result) => {
          await end();
          ended.push({ ...result });
        },
      },
      log: createLog('silent'),
    },
    new AbortController().signal,
  );
  const types: string[] = [];
  for await (const part of parts) types.push(part.type);
  return { ended, last: types.at(-1) };
}

test.each([
  ['the cost', { settle: 2, end: 0 }],
  ['the turn', { settle: 0, end: 2 }],
  ['both', { settle: 1, end: 1 }],
])('a database that is away while it stores %s is asked again', async (_what, failures) => {
  const { ended, last } = await ask(failures);
  expect(last).toBe('finish');
  expect(ended).toMatchObject([{ status: 'complete', microDollars: 7 }]);
});
