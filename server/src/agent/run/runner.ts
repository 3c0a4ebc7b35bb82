/**
 * Works on queued jobs, a few at a time. It polls the queue when the bus announces a job, when a job ends,
 * and every few seconds, because a message of the bus may get lost.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import { jobChannels } from '../jobs/events.ts';
import type { JobRow } from '../jobs/job.ts';
import { cancelled } from './checkpoints.ts';
import { type Lease, LeaseLost, type Leases, leaseSeconds } from './leases.ts';
import { runJob } from './run-job.ts';
import { type RunControl, type RunDeps, Stopping } from './run-context.ts';
import { createLoop, type Loop } from '../../platform/loop.ts';
import { during } from '../../platform/telemetry/event-loop.ts';

const defaultIntervals = { renewMs: 5_000, pollMs: 5_000 };
/** How long runs may take to give their jobs back. */
const abortGraceMs = 2_000;

export function createRunner(options: {
  leases: Leases;
  deps: RunDeps;
  bus: Bus;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  concurrency: number;
  /** Tests shorten it. */
  intervals?: Partial<typeof defaultIntervals> | undefined;
}) {
  const { leases, deps, bus, log, concurrency } = options;
  const intervals = { ...defaultIntervals, ...options.intervals };
  const running = new Map<string, { control: RunControl; done: Promise<void> }>();
  let isStopping = false;
  let ends: (() => void)[] = [];

  const queue = createLoop({
    async work() {
      const expired = await leases.expire();
      if (expired > 0) log.warn({ jobs: expired }, 'jobs waited for too long');
      await fill();
    },
    everyMs: intervals.pollMs,
    onError: (err) => log.error({ err }, 'queued jobs could not be read'),
  });

  async function fill(): Promise<void> {
    while (!isStopping && running.size < concurrency) {
      const row = await leases.claim();
      if (!row) return;
      begin(row);
    }
  }

  function begin(row: JobRow & Lease): void {
    const controller = new AbortController();
    const control: RunControl = {
      lease: row,
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      isStopping: () => isStopping,
    };
    if (row.state === 'cancelling') control.abort(cancelled());
    const renewing = keepRenewing(control);
    const done = during(`agent job ${row.id}`, () => runJob(deps, row, control))
      .catch((err: unknown) => log.error({ err, job: row.id }, 'a job could not be ended'))
      .finally(() => {
        void renewing.stop();
        if (running.get(row.id)?.control === control) running.delete(row.id);
        void queue.wake();
      });
    running.set(row.id, { control, done });
    // The service stopped during the claim: the job goes back before it begins.
    if (isStopping) control.abort(new Stopping());
  }

  /** Renews the claim, so that no other process takes the job. A run whose claim can't be renewed must end. */
  function keepRenewing(control: RunControl): Loop {
    const { lease, abort } = control;
    let renewedAt = performance.now();
    const renewing = createLoop({
      async work() {
        const { isCancelRequested } = await leases.renew(lease);
        renewedAt = performance.now();
        if (isCancelRequested) abort(cancelled());
      },
      everyMs: intervals.renewMs,
      onError(error) {
        if (error instanceof LeaseLost) return abort(error);
        log.warn({ err: error, job: lease.id }, 'the claim of a job could not be renewed');
        if (performance.now() - renewedAt > leaseSeconds * 800) abort(new LeaseLost());
      },
    });
    renewing.start();
    // Renew at once: somebody may have cancelled the job during the claim.
    void renewing.wake();
    return renewing;
  }

  return {
    start(): void {
      ends = [
        bus.subscribe(jobChannels.queue, () => void queue.wake()),
        bus.subscribe(jobChannels.cancel, (id) => running.get(id)?.control.abort(cancelled())),
        bus.onGap(() => void queue.wake()),
      ];
      queue.start();
      void queue.wake();
    },

    wake: queue.wake,

    get count() {
      return running.size;
    },

    /**
     * Waits until each job reaches the end of its step, at most for the grace period, and then aborts it.
     * Unfinished jobs go back to the queue, where another process, or the next start, takes them at once.
     */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      for (const end of ends) end();
      await queue.stop();
      const all = () => Promise.all([...running.values()].map(({ done }) => done));
      if (await isInTime(all(), graceMs)) return;
      for (const { control } of running.values()) control.abort(new Stopping());
      // Where the database is away, the other processes notice that this one is gone.
      await isInTime(all(), abortGraceMs);
    },
  };
}

const isInTime = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([work.then(() => true), sleep(ms, false, { ref: false })]);
