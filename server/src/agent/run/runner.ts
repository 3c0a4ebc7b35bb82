/**
 * Works on the jobs that wait, a few at once. It looks when it is told that there is something, when a
 * job has ended, and every few seconds besides: a word of the bus may get lost.
 */
import type { Logger } from '../../platform/log.ts';
import type { Bus } from '../../platform/store/bus.ts';
import { jobChannels } from '../jobs/events.ts';
import type { JobRow } from '../jobs/job.ts';
import { cancelled } from './checkpoints.ts';
import { type Lease, LeaseLost, type Leases, leaseSeconds } from './leases.ts';
import { runJob } from './run-job.ts';
import { type RunControl, type RunDeps, Stopping } from './run-context.ts';

/** How often a claim is renewed, and the queue looked at. */
const defaultIntervals = { renewMs: 5_000, pollMs: 5_000 };
/** A run that does not even end when it is cut is left behind after this. */
const lastPatienceMs = 2_000;

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
  let isAsked = false;
  let polling: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ends: (() => void)[] = [];

  /** One look after the other; a call during one brings another after it. */
  function wake(): Promise<void> {
    isAsked = true;
    polling ??= (async () => {
      while (isAsked && !isStopping) {
        isAsked = false;
        await fill().catch((err: unknown) => log.error({ err }, 'waiting jobs could not be read'));
      }
    })().finally(() => (polling = undefined));
    return polling;
  }

  async function fill(): Promise<void> {
    while (!isStopping && running.size < concurrency) {
      const row = await leases.claim();
      if (!row) return;
      begin(row, { id: row.id, owner: row.owner, attempt: row.attempt });
    }
  }

  function begin(row: JobRow, lease: Lease): void {
    const controller = new AbortController();
    const control: RunControl = {
      lease,
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      isStopping: () => isStopping,
      runMs: () => Number(row.run_ms),
    };
    if (row.cancel_requested_at !== null) control.abort(cancelled());
    const renewing = keepRenewing(control);
    const done = runJob(deps, row, control)
      .catch((err: unknown) => log.error({ err, job: row.id }, 'a job could not be ended'))
      .finally(() => {
        renewing.end();
        if (running.get(row.id)?.control === control) running.delete(row.id);
        void wake();
      });
    running.set(row.id, { control, done });
    // Stopped while it was being claimed: it is given back before it has begun.
    if (isStopping) control.abort(new Stopping());
  }

  /** While it is renewed nobody else takes the job; who cannot renew it must not go on with it. */
  function keepRenewing(control: RunControl): { end(): void } {
    const { lease, abort } = control;
    let renewedAt = performance.now();
    const renew = async () => {
      const { isCancelRequested } = await leases.renew(lease, control.runMs());
      renewedAt = performance.now();
      if (isCancelRequested) abort(cancelled());
    };
    const renewNow = () => {
      renew().catch((error: unknown) => {
        if (error instanceof LeaseLost) return abort(error);
        log.warn({ err: error, job: lease.id }, 'the claim of a job was not renewed');
        if (performance.now() - renewedAt > leaseSeconds * 800) abort(new LeaseLost());
      });
    };
    // At once, too: a cancel may have come while the job was being claimed.
    renewNow();
    const timer = setInterval(renewNow, intervals.renewMs).unref();
    return { end: () => clearInterval(timer) };
  }

  async function poll(): Promise<void> {
    const expired = await leases.expire();
    if (expired > 0) log.warn({ jobs: expired }, 'jobs have waited for too long');
    await wake();
  }

  const pollNow = () =>
    void poll().catch((err: unknown) => log.error({ err }, 'waiting jobs could not be read'));

  return {
    start(): void {
      ends = [
        bus.subscribe(jobChannels.queue, () => void wake()),
        bus.subscribe(jobChannels.cancel, (id) => running.get(id)?.control.abort(cancelled())),
        bus.onGap(pollNow),
      ];
      timer = setInterval(pollNow, intervals.pollMs).unref();
      pollNow();
    },

    wake,

    get count() {
      return running.size;
    },

    /**
     * Lets each job come to the end of its step within the grace, then cuts it; what is not done is
     * given back, so that another process, or the next start, goes on with it at once.
     */
    async stop(graceMs: number): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      for (const end of ends) end();
      await polling;
      const all = () => Promise.all([...running.values()].map(({ done }) => done));
      if (await isInTime(all(), graceMs)) return;
      for (const { control } of running.values()) control.abort(new Stopping());
      if (await isInTime(all(), lastPatienceMs)) return;
      for (const [id, { control }] of running) {
        log.warn({ job: id }, 'a job did not end with the service; it is given back');
        // Where that fails, the others see that this process has gone.
        await leases
          .release(control.lease, control.runMs())
          .catch((err: unknown) => log.warn({ err, job: id }, 'a job was not given back'));
      }
    },
  };
}

async function isInTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(resolve, ms, false)));
  const result = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return result;
}
