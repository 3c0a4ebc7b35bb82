/** Leases of indexing runs, and what sources keep: the same on both databases. */
import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eachDatabase, quiet } from '../../../testing/each-database.ts';
import { DocentError } from '../../platform/errors.ts';
import { type Store, testClock } from '../../platform/store/database.ts';
import { createIndexRuns } from './index-runs.ts';
import { type IndexReport, NeedsApproval } from './index-site.ts';
import { createSourceStates } from './source-states.ts';

const report: IndexReport = {
  commits: [],
  pages: 4,
  added: 4,
  changed: 0,
  unchanged: 0,
  removed: 0,
  passages: 9,
  warnings: [],
  notes: [],
  failures: [],
  seconds: 0.1,
};

function create(opened: Store) {
  let clock = Date.parse('2026-11-10T12:00:00.000Z');
  const now = () => new Date(clock);
  const store = { ...opened, clock: testClock(now) };
  const { database } = store;
  const runs = createIndexRuns({ store, now, log: quiet });
  return {
    runs,
    states: createSourceStates({ database, now }),
    later: (ms: number) => (clock += ms),
  };
}

/** A run that goes on until it is let go. */
function hold(runs: ReturnType<typeof create>['runs'], domain = 'docs') {
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const run = runs.run(domain, undefined, async () => {
    begun.resolve();
    await held.promise;
    return report;
  });
  return { run, begun: begun.promise, letGo: held.resolve };
}

eachDatabase((openNew) => {
  test('a run that needs approval waits, and the next one on request may go on', async () => {
    const { runs } = create(await openNew());
    const needing = () => Promise.reject(new NeedsApproval(30, 60, ['/a']));
    await expect(runs.run('docs', undefined, needing)).rejects.toThrow(/would remove 30 of 60/);
    expect(await runs.read('docs')).toMatchObject({
      status: 'waiting',
      error: expect.stringContaining('30 of 60 pages, such as /a'),
    });
    await runs.request('docs', { acceptFewer: true });
    const accepted: boolean[] = [];
    for (let time = 0; time < 2; time++) {
      await runs.run('docs', undefined, ({ acceptFewer }) => {
        accepted.push(acceptFewer);
        return Promise.resolve(report);
      });
    }
    expect(accepted).toEqual([true, false]);
    expect(await runs.read('docs')).toMatchObject({ status: 'complete' });
  });

  test('one run at a time for each site, and the report stays', async () => {
    const { runs } = create(await openNew());
    expect(await runs.read('docs')).toMatchObject({ status: 'never', isRequested: false });
    const first = hold(runs);
    await first.begun;
    expect(await runs.read('docs')).toMatchObject({ status: 'running' });
    await expect(runs.run('docs', undefined, () => Promise.resolve(report))).rejects.toMatchObject({
      code: 'conflict',
    });
    const other = hold(runs, 'other');
    await other.begun;
    expect(await runs.request('docs')).toMatchObject({ status: 'running', isRequested: true });
    first.letGo();
    other.letGo();
    expect(await first.run).toEqual(report);
    await other.run;
    expect(await runs.read('docs')).toMatchObject({
      status: 'complete',
      isRequested: true,
      report,
      error: null,
    });
    await runs.run('docs', undefined, () => Promise.resolve(report));
    expect(await runs.read('docs')).toMatchObject({ isRequested: false });
  });

  test('only one of several simultaneous runs starts', async () => {
    const { runs } = create(await openNew());
    const all = Array.from({ length: 8 }, () => hold(runs));
    const refusals = all.map(({ run }) =>
      run.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    let refused = 0;
    // Nothing is let go before all others have heard no.
    for (const refusal of refusals) {
      void refusal.then(() => {
        refused += 1;
        if (refused === all.length - 1) for (const { letGo } of all) letGo();
      });
    }
    const errors = (await Promise.all(refusals)).filter((error) => error !== undefined);
    expect(errors).toHaveLength(all.length - 1);
    for (const error of errors) expect(error).toMatchObject({ code: 'conflict' });
    expect(await runs.read('docs')).toMatchObject({ status: 'complete' });
  });

  test('a run whose lease expired has ended, and its late end changes nothing', async () => {
    const { runs, later } = create(await openNew());
    const dead = hold(runs);
    await dead.begun;
    later(61_000);
    expect(await runs.read('docs')).toMatchObject({ status: 'failed', error: expect.any(String) });
    const next = hold(runs);
    await next.begun;
    dead.letGo();
    await dead.run;
    expect(await runs.read('docs')).toMatchObject({ status: 'running', report: null });
    next.letGo();
    await next.run;
  });

  test('a failed or stopped run stores the reason', async () => {
    const { runs } = create(await openNew());
    const failing = runs.run('docs', undefined, () =>
      Promise.reject(new DocentError('upstream_failed', 'The repository cannot be reached.')),
    );
    await expect(failing).rejects.toThrow('repository');
    expect(await runs.read('docs')).toMatchObject({
      status: 'failed',
      error: 'The repository cannot be reached.',
    });
    const stop = AbortSignal.abort();
    // A real one, of the file system.
    const full = runs.run('docs', undefined, () => writeFile('/dev/full', 'x') as Promise<never>);
    await expect(full).rejects.toThrow(/disk of the data folder is full/);
    expect(await runs.read('docs')).toMatchObject({ error: expect.stringMatching(/Free some/) });
    const stopped = runs.run('docs', stop, ({ signal }) => {
      signal.throwIfAborted();
      return Promise.resolve(report);
    });
    await expect(stopped).rejects.toThrow();
    expect(await runs.read('docs')).toMatchObject({ status: 'failed', error: 'It was stopped.' });
    const warned = { ...report, failures: ['One source was away.'] };
    await runs.run('docs', undefined, () => Promise.resolve(warned));
    expect(await runs.read('docs')).toMatchObject({ status: 'incomplete', report: warned });
  });

  test('states of sources are written if they changed, and deleted with their source', async () => {
    const store = await openNew();
    const { states, later } = create(store);
    const none = await states.load('docs');
    expect(none.size).toBe(0);
    const first = new Map([
      ['folder a', { paths: ['/a'] }],
      ['web b', { paths: ['/b'], kept: { '/b': 'etag "1"' } }],
    ]);
    await states.save('docs', none, first);
    await states.save('other', none, new Map([['folder a', { paths: ['/z'] }]]));
    expect(await states.load('docs')).toEqual(first);
    later(1_000);
    const second = new Map([
      ['folder a', { paths: ['/a'] }],
      ['git c', { paths: ['/c', '/d'] }],
    ]);
    await states.save('docs', first, second);
    expect(await states.load('docs')).toEqual(second);
    expect([...(await states.load('other')).keys()]).toEqual(['folder a']);
    const rows = await store.database
      .selectFrom('index_sources')
      .select(['source', 'updated_at'])
      .where('domain', '=', 'docs')
      .orderBy('source')
      .execute();
    expect(rows.map((row) => row.updated_at)).toEqual([
      '2026-11-10T12:00:00.000Z',
      '2026-11-10T12:00:01.000Z',
    ]);
  });
});
