/**
 * Ensures one indexing run at a time for each site, among all processes. The row of a site holds the
 * lease, the progress, and the report.
 */
import { DocentError, explained } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { createLoop } from '../../platform/loop.ts';
import { createLookup, type Store } from '../../platform/store/database.ts';
import { createLease, released } from '../../platform/store/lease.ts';
import { isLeft, processName } from '../../platform/store/processes.ts';
import type { IndexRunStatus } from '../tables.ts';
import { type IndexReport, NeedsApproval } from './index-site.ts';
import type { IndexProgress } from '../sources/page-source.ts';
export interface IndexStamp {
  indexedAt: string;
  commits: string[];
}

export interface IndexRun {
  domain: string;
  status: IndexRunStatus;
  /** Another run follows. */
  isRequested: boolean;
  startedAt: string | null;
  finishedAt: string | null;
  progress: IndexProgress | null;
  report: IndexReport | null;
  error: string | null;
}

export interface IndexControl {
  startedAt: string;
  signal: AbortSignal;
  /** Whoever requested the run expects far fewer pages than before. */
  acceptFewer: boolean;
  onProgress: (progress: IndexProgress) => void;
}

/** A run that doesn't renew its lease for this long has ended. */
const leaseSeconds = 60;
const renewMs = 2_000;
const maxListed = 50;

export function createIndexRuns(deps: {
  store: Pick<Store, 'database' | 'clock'>;
  now: () => Date;
  log: Pick<Logger, 'warn'>;
}) {
  const { now, log } = deps;
  const { database } = deps.store;
  const lease = createLease(deps.store, leaseSeconds);
  const stamps = database.selectFrom('index_runs').select(['indexed_at', 'commits']);
  const stamp = createLookup(stamps.where('domain', '=', ''));

  async function ensure(domain: string): Promise<void> {
    await database
      .insertInto('index_runs')
      .values({ domain, status: 'never', accepts_fewer: 0 })
      .onConflict((conflict) => conflict.column('domain').doNothing())
      .execute();
  }

  /** Returns what the run may do; undefined: another process is at it. */
  async function begin(
    domain: string,
    owner: string,
  ): Promise<Pick<IndexControl, 'acceptFewer' | 'startedAt'> | undefined> {
    await ensure(domain);
    const startedAt = now().toISOString();
    const before = await database
      .selectFrom('index_runs')
      .select(['accepts_fewer', 'owner'])
      .where('domain', '=', domain)
      .executeTakeFirst();
    const { numUpdatedRows } = await database
      .updateTable('index_runs')
      .set({
        ...lease.claim(owner),
        status: 'running',
        requested_at: null,
        accepts_fewer: 0,
        started_at: startedAt,
        progress: null,
      })
      .where('domain', '=', domain)
      .where((row) =>
        row.or([
          lease.isFree('index_runs'),
          ...(isLeft(before?.owner) ? [row('owner', '=', before?.owner ?? '')] : []),
        ]),
      )
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) return undefined;
    return { acceptFewer: before?.accepts_fewer === 1, startedAt };
  }

  async function read(domain: string): Promise<IndexRun> {
    const row = await database
      .selectFrom('index_runs')
      .selectAll()
      .select(lease.isFree('index_runs').as('is_free'))
      .where('domain', '=', domain)
      .executeTakeFirst();
    const isOver = row?.status === 'running' && (Boolean(row.is_free) || isLeft(row.owner));
    return {
      domain,
      // If nobody renews the lease, the process has died.
      status: isOver ? 'failed' : (row?.status ?? 'never'),
      isRequested: Boolean(row?.requested_at),
      startedAt: row?.started_at ?? null,
      finishedAt: row?.finished_at ?? null,
      progress: row?.status === 'running' && !isOver ? fromJson<IndexProgress>(row.progress) : null,
      report: fromJson<IndexReport>(row?.report),
      error: isOver ? 'The process that was indexing came to an end.' : (row?.error ?? null),
    };
  }

  return {
    read,

    /** Since when the index is as it is, and of which commits. `undefined`: no run is recorded. */
    async stampOf(domain: string): Promise<IndexStamp | undefined> {
      const row = await stamp(database, domain);
      if (!row?.indexed_at) return undefined;
      return { indexedAt: row.indexed_at, commits: JSON.parse(row.commits ?? '[]') as string[] };
    },

    /** Requests a run. If one is in progress, another follows it, so that no change is missed. */
    async request(domain: string, { acceptFewer = false } = {}): Promise<IndexRun> {
      await ensure(domain);
      await database
        .updateTable('index_runs')
        .set({
          requested_at: now().toISOString(),
          ...(acceptFewer && { accepts_fewer: 1 }),
        })
        .where('domain', '=', domain)
        .execute();
      return read(domain);
    },

    /** Rejects with `conflict` if another process is indexing the site. */
    async run(
      domain: string,
      signal: AbortSignal | undefined,
      work: (control: IndexControl) => Promise<IndexReport>,
    ): Promise<IndexReport> {
      const owner = `${newId()} ${processName}`;
      const begun = await begin(domain, owner);
      if (!begun) {
        const row = await database
          .selectFrom('index_runs')
          .select(['started_at', 'lease_until'])
          .where('domain', '=', domain)
          .executeTakeFirst();
        throw new DocentError(
          'conflict',
          `${domain} is being indexed by another process since ${row?.started_at}; wait for its end. If that process has ended on another machine, wait until ${row?.lease_until}.`,
        );
      }
      const lost = new AbortController();
      let progress: IndexProgress | undefined;
      const mine = () =>
        database.updateTable('index_runs').where('domain', '=', domain).where('owner', '=', owner);
      const renewal = createLoop({
        async work() {
          const { numUpdatedRows } = await mine()
            .set({ ...lease.renew(), progress: progress ? JSON.stringify(progress) : null })
            .executeTakeFirst();
          if (numUpdatedRows > 0n) return;
          // A process that lost its lease must not overwrite the work of another.
          lost.abort(new DocentError('conflict', `${domain} is being indexed by another process.`));
        },
        everyMs: renewMs,
        onError(err) {
          const known = explained(err);
          // On a full disk, the run would fail at its end.
          if (known === err) log.warn({ err, domain }, 'the indexing run was not renewed');
          else lost.abort(known);
        },
      });
      renewal.start();
      const end = (status: IndexRunStatus, report: IndexReport | undefined, error: string | null) =>
        mine()
          .set({
            ...released,
            status,
            finished_at: now().toISOString(),
            progress: null,
            error,
            ...(report && {
              report: JSON.stringify(shortened(report)),
              indexed_at: begun.startedAt,
              commits: JSON.stringify(report.commits),
            }),
          })
          .execute();
      try {
        const report = await work({
          ...begun,
          signal: signal ? AbortSignal.any([signal, lost.signal]) : lost.signal,
          onProgress: (one) => void (progress = one),
        });
        await renewal.stop();
        await end(report.failures.length > 0 ? 'incomplete' : 'complete', report, null);
        return report;
      } catch (cause) {
        await renewal.stop();
        const error = explained(cause);
        const isAborted = signal?.aborted ?? false;
        const words =
          error instanceof DocentError ? error.message : 'Something went wrong; the log says what.';
        const status = error instanceof NeedsApproval ? 'waiting' : 'failed';
        // The database may be on the same full disk.
        await end(status, undefined, isAborted ? 'It was stopped.' : words).catch(
          (err: unknown) => {
            if (explained(err) === err)
              log.warn({ err, domain }, 'the end of the indexing run was not written');
          },
        );
        throw error;
      }
    },
  };
}

function shortened(report: IndexReport): IndexReport {
  return {
    ...report,
    warnings: report.warnings.slice(0, maxListed),
    failures: report.failures.slice(0, maxListed),
  };
}

function fromJson<Value>(text: string | null | undefined): Value | null {
  return text ? (JSON.parse(text) as Value) : null;
}
