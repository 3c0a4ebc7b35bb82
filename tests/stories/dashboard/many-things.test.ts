/** What a page of the dashboard costs doesn't grow with the number of things. Counted, not timed. */
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillWith } from '../../support/many-things.ts';
import { addPerson } from '../../support/person.ts';
import { startDocent, type TestDocent } from '../../support/start-docent.ts';

const site = 'kestrel-docs';
const projects = ['kestrel', 'kestrel-blog', 'kestrel-api'];
/** Enough for a full page of each list. */
const few = { conversations: 600, jobs: 60, keys: 210 };
const many = { conversations: 6_000, jobs: 5_000, keys: 500 };
/** Three weeks ago, so that the newest is of today. */
const from = new Date(Date.now() - many.conversations * 5 * 60_000).toISOString();

/** What the pages ask for when they open. */
const lists = {
  conversations: `/v1/analytics/${site}/assistant?limit=50&dateFrom=${from}`,
  feedback: `/v1/analytics/${site}/feedback?state=open&limit=50&dateFrom=${from}`,
  jobs: '/v1/jobs',
  keys: '/v1/keys?status=active&limit=200',
  audit: '/v1/audit',
};
const others = [
  '/v1/session',
  '/v1/overview',
  '/v1/usage',
  `/v1/analytics/${site}/unanswered`,
  `/v1/analytics/${site}/assistant/thread 000077`,
  '/v1/projects',
  '/v1/shares',
  '/v1/people',
  '/v1/invitations',
  '/v1/webhooks',
  '/v1/sites',
  `/v1/sites/${site}`,
  '/v1/settings',
  '/v1/health',
];

/** Counts the statements of the database, and the rows that they return, while `work` runs. */
async function counted<Result>(work: () => Promise<Result>) {
  const statements: string[] = [];
  let rows = 0;
  const kept = Object.getOwnPropertyDescriptors(StatementSync.prototype);
  const counting = (method: 'all' | 'run') =>
    function count(this: StatementSync, ...values: unknown[]): unknown {
      const found: unknown = Reflect.apply(kept[method].value as () => unknown, this, values);
      statements.push(this.sourceSQL);
      if (Array.isArray(found)) rows += found.length;
      return found;
    };
  Object.assign(StatementSync.prototype, { all: counting('all'), run: counting('run') });
  try {
    return { result: await work(), statements, rows };
  } finally {
    Object.defineProperties(StatementSync.prototype, { all: kept.all, run: kept.run });
  }
}

let docent: TestDocent;
let owner: Awaited<ReturnType<typeof addPerson>>;
beforeAll(async () => {
  docent = await startDocent({
    runJobs: false,
    schedule: false,
    projects: projects.map((id) => ({ id, organization: 'kestrel', model: 'main' })),
  });
  owner = await addPerson(docent, 'owner');
});
afterAll(() => docent[Symbol.asyncDispose]());

const fill = (amounts: typeof few) => {
  const { dataFolder } = docent;
  fillWith({ dataFolder, domain: site, organization: 'kestrel', projects, from }, amounts);
};

/** The least of three requests: what the service does beside them is counted too. */
async function costOf(path: string) {
  const costs = [];
  for (let time = 0; time < 3; time += 1) {
    const { result, statements, rows } = await counted(async () => {
      const response = await owner.fetch(path);
      expect(`${path} ${response.status}`).toBe(`${path} 200`);
      return response.text();
    });
    costs.push({ text: result, statements, rows });
  }
  const least = costs.reduce((one, other) =>
    other.statements.length < one.statements.length ? other : one,
  );
  return { ...least, rows: Math.min(...costs.map(({ rows }) => rows)) };
}

/** The steps of the lists among these statements, as SQLite plans them. */
function planOf(statements: readonly string[]): string[] {
  const file = new DatabaseSync(join(docent.dataFolder, 'docent.db'), { readOnly: true });
  const plans = [...new Set(statements)]
    .filter((sql) => /^(select|with) .* limit \?$/s.test(sql))
    .flatMap((sql) =>
      file
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => `${String(detail)}: ${sql}`),
    );
  file.close();
  return plans;
}

/** Steps that read or sort a whole table. */
const wholeTables = (statements: readonly string[]) =>
  planOf(statements).filter((step) => /^(SCAN|USE TEMP B-TREE FOR ORDER BY)/.test(step));

describe('with ten times as much, a page asks as many statements', () => {
  let before: Map<string, Awaited<ReturnType<typeof costOf>>>;
  beforeAll(async () => {
    fill(few);
    before = new Map();
    for (const path of [...Object.values(lists), ...others]) before.set(path, await costOf(path));
    fill(many);
  });

  test('gaps, without all answers of the site, and one gap, without its other questions', async () => {
    const gaps = planOf((await costOf(`/v1/analytics/${site}/unanswered`)).statements);
    expect(gaps.filter((step) => step.startsWith('SEARCH gap_asks'))).not.toEqual([]);
    const all = /^SEARCH turns USING INDEX turns_outcome \(domain=\? AND outcome=\?\)/;
    expect(gaps.filter((step) => all.test(step))).toEqual([]);
    const one = planOf((await costOf(`/v1/gaps/${site}/gap 7`)).statements);
    expect(one.filter((step) => step.startsWith('SEARCH turns'))).not.toEqual([]);
    expect(one.filter((step) => /USING INDEX turns_(site|outcome)/.test(step))).toEqual([]);
  });

  test.each(others)('%s', async (path) => {
    const { statements } = await costOf(path);
    expect(statements.length).toBe(before.get(path)?.statements.length);
  });

  test.each(Object.entries(lists))(
    '%s, as many rows and bytes, and no whole table',
    async (_, path) => {
      const was = before.get(path);
      const is = await costOf(path);
      expect([is.statements.length, is.rows]).toEqual([was?.statements.length, was?.rows]);
      expect(is.text.length).toBeLessThan((was?.text.length ?? 0) * 1.05);
      expect(wholeTables(is.statements)).toEqual([]);
      // The next page, far down, costs the same.
      let cursor = (JSON.parse(is.text) as { nextCursor: string | null }).nextCursor;
      for (let page = 0; page < 3 && cursor !== null; page += 1) {
        const next = await costOf(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
        expect(next.rows).toBeLessThanOrEqual(is.rows);
        expect(wholeTables(next.statements)).toEqual([]);
        cursor = (JSON.parse(next.text) as { nextCursor: string | null }).nextCursor;
      }
    },
  );
});
