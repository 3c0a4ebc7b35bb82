/**
 * Indexes the sites of a running service: on request, as often as the configuration says, and at the
 * start if a site was never indexed. A process indexes one site at a time.
 */
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { Site, Sites } from '../../platform/tenants/sites.ts';
import type { IndexRun } from './index-runs.ts';
import type { Indexer } from './indexer.ts';
import { NeedsApproval } from './index-site.ts';
import { dayMs, hourMs, minuteMs } from '../../platform/time.ts';
import { createLoop } from '../../platform/loop.ts';
import { during } from '../../platform/telemetry/event-loop.ts';

export interface ScheduleDeps {
  sites: Pick<Sites, 'all'>;
  indexer: Indexer;
  retriever: Pick<Retriever, 'hashes'>;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  now: () => Date;
}

export type Schedule = ReturnType<typeof createSchedule>;

const pollIntervalMs = 15_000;
const units = { m: minuteMs, h: hourMs, d: dayMs };

export function createSchedule(deps: ScheduleDeps) {
  const { sites, indexer, retriever, log, now } = deps;
  const stopping = new AbortController();
  let isFirst = false;
  const loop = createLoop({
    work: indexDueSites,
    everyMs: pollIntervalMs,
    onError: (err) => log.error({ err }, 'the schedule could not be read'),
  });

  async function indexDueSites(): Promise<void> {
    const looksForEmpty = isFirst;
    isFirst = false;
    for (const site of sites.all()) {
      if (stopping.signal.aborted) return;
      const run = await indexer.runs.read(site.domain);
      const why = await reasonOf(site, run, looksForEmpty);
      if (why !== undefined) await indexOne(site.domain, why);
    }
  }

  async function reasonOf(site: Site, run: IndexRun, looksForEmpty: boolean) {
    if (run.status === 'running') return undefined;
    if (run.isRequested) return 'it was asked for';
    if (isDue(site, run, now())) return 'the time has come';
    if (!looksForEmpty) return undefined;
    return (await retriever.hashes(site.domain)).size === 0 ? 'nothing is indexed yet' : undefined;
  }

  async function indexOne(domain: string, why: string): Promise<void> {
    log.info({ domain, why }, 'indexing');
    try {
      const report = await during(`indexing ${domain}`, () =>
        indexer.index(domain, { signal: stopping.signal }),
      );
      const { pages, added, changed, removed, seconds, warnings, failures } = report;
      const fields = { domain, pages, added, changed, removed, seconds, warnings: warnings.length };
      if (failures.length === 0) log.info(fields, 'indexed');
      else log.warn({ ...fields, failures }, 'indexed, but not all sources could be read');
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (error instanceof NeedsApproval) {
        log.warn(
          { domain, removed: error.removed },
          'the run waits for approval: it would remove many pages',
        );
        return;
      }
      // Another process indexes the site.
      if (error instanceof DocentError && error.code === 'conflict') return;
      log.error({ err: error, domain }, 'indexing failed; the index stays as it was');
    }
  }

  return {
    start(): void {
      isFirst = true;
      loop.start();
      void loop.wake();
    },
    wake: loop.wake,
    /** Stops a run in progress. The index stays as it was. */
    async stop(): Promise<void> {
      stopping.abort();
      await loop.stop();
    },
  };
}

function isDue(site: Site, run: IndexRun, at: Date): boolean {
  const next = nextRunAt(site, run);
  return next !== undefined && at >= next;
}

/**
 * When a site is read again; undefined: only on request. A delay of up to a tenth prevents all sites from
 * starting at the same time.
 */
export function nextRunAt(
  { domain, docs }: Pick<Site, 'domain' | 'docs'>,
  run: Pick<IndexRun, 'startedAt' | 'finishedAt'>,
): Date | undefined {
  if (docs.every === undefined) return undefined;
  const everyMs = Number(docs.every.slice(0, -1)) * units[docs.every.at(-1) as keyof typeof units];
  const last = run.finishedAt ?? run.startedAt;
  if (last === null) return new Date(0);
  // The delay is the same in every process, so that no process is always first.
  const share = Number.parseInt(sha256(`${domain} ${last}`).slice(0, 4), 16) / 65_536;
  const jitterMs = share * everyMs * 0.1;
  return new Date(Date.parse(last) + everyMs + jitterMs);
}
