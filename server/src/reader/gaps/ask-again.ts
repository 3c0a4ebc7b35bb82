/**
 * Asks questions again after the documentation has changed: those of a gap once its pull request is merged
 * and indexed, or when an owner wants it, and a sample of those that had an answer from changed pages. Any
 * number of processes share the work.
 */
import type { SearchFilter } from '@docent/shared/assistant';
import type { IndexChange, IndexChanges } from '../../docs/indexer/index-changes.ts';
import type { Indexer } from '../../docs/indexer/indexer.ts';
import type { Audit } from '../../notify/audit/audit.ts';
import { callerActor } from '../../platform/auth/caller.ts';
import { DocentError } from '../../platform/errors.ts';
import { createLoop } from '../../platform/loop.ts';
import { newId } from '../../platform/ids.ts';
import { dayMs, minuteMs } from '../../platform/time.ts';
import { redact } from '../../platform/redaction/redact.ts';
import type { Database, Store } from '../../platform/store/database.ts';
import { createLease, released } from '../../platform/store/lease.ts';
import { isLeft, processName } from '../../platform/store/processes.ts';
import type { MergedJobs, Projects } from '../../platform/tenants/projects.ts';
import type { Site, Sites } from '../../platform/tenants/sites.ts';
import type { AnswerDeps } from '../ask/answer.ts';
import { askUnstored, callerFor, plainQuestion } from '../ask/ask-unstored.ts';
import { newestTurns, toPastTurn } from '../conversations/threads.ts';
import { type Ask, endAsk, gapsOfJobs, queueGaps, queueTurns } from './asks.ts';
import { knownQuestions } from './known-questions.ts';

export type AskAgain = ReturnType<typeof createAskAgain>;

const leaseSeconds = 60;
const renewMs = 15_000;
const lookEveryMs = 5_000;
const maxAttempts = 3;
/** When a question that failed, or that found no budget, is asked again. */
const retryMs = minuteMs;
const noBudgetMs = 15 * minuteMs;

export interface AskAgainDeps extends Omit<AnswerDeps, 'threads'> {
  database: Database;
  store: Pick<Store, 'clock'>;
  sites: Pick<Sites, 'all' | 'find' | 'builtFrom'>;
  projects: Pick<Projects, 'byId'>;
  indexer: { runs: Pick<Indexer['runs'], 'read' | 'request' | 'stampOf'>; changes: IndexChanges };
  /** Begins index runs that were asked for. */
  wakeIndexer: () => void;
  audit: Pick<Audit, 'record'>;
  now: () => Date;
}

export function createAskAgain(deps: AskAgainDeps) {
  const { database, sites, projects, indexer, audit, now, log } = deps;
  const lease = createLease(deps.store, leaseSeconds);
  const owner = `${newId()} ${processName}`;
  const stopping = new AbortController();
  const loop = createLoop({
    work: look,
    everyMs: lookEveryMs,
    onError: (err) => log.error({ err }, 'questions were not asked again'),
  });
  const wake = () => void loop.wake();

  /** Questions that had an answer from pages that a run has changed. */
  async function queueChecks(change: IndexChange): Promise<void> {
    const { id, domain, startedAt: since, paths } = change;
    const site = sites.find(domain);
    const most = site?.askAgain.checksPerRun ?? 0;
    const known = site ? await knownQuestions(database, site, new Set(paths), most) : [];
    const cause = { domain, kind: 'check', cause: `index ${id}`, since, needs: 'change' } as const;
    await database.transaction().execute(async (tx) => {
      if (!(await indexer.changes.check(tx, id))) return;
      const turns = known.map(({ turnId }) => turnId);
      await queueTurns(tx, turns, cause, now());
    });
  }

  /** The next question whose index run has ended. */
  async function claim(): Promise<(Ask & { indexed: Indexed }) | undefined> {
    const rows = await database
      .selectFrom('gap_asks')
      .selectAll()
      .select(lease.isFree('gap_asks').as('is_free'))
      .where('state', '=', 'waiting')
      .where((or) =>
        or.or([or('not_before', 'is', null), or('not_before', '<=', now().toISOString())]),
      )
      .orderBy('id')
      .limit(500)
      .execute();
    const states = new Map<string, Promise<SiteState | undefined>>();
    for (const { is_free, ...row } of rows) {
      if (!is_free && !isLeft(row.owner)) continue;
      const reading = states.get(row.domain) ?? stateOf(row.domain);
      states.set(row.domain, reading);
      const state = await reading;
      const indexed = state && (await whenIndexed(row, state));
      if (!indexed) continue;
      const { numUpdatedRows } = await database
        .updateTable('gap_asks')
        .set(lease.claim(owner))
        .where('id', '=', row.id)
        .where('state', '=', 'waiting')
        .where((or) => or.or([lease.isFree('gap_asks'), or('owner', '=', row.owner)]))
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return { ...row, owner, indexed };
    }
    return undefined;
  }

  /** `undefined`: nothing can be asked of this site now. */
  async function stateOf(domain: string): Promise<SiteState | undefined> {
    const site = sites.find(domain);
    if (!site) return undefined;
    const since = new Date(now().getTime() - dayMs).toISOString();
    const { spent } = await database
      .selectFrom('gap_asks')
      .select(({ fn }) => fn.sum<number>('micro_dollars').as('spent'))
      .where('domain', '=', domain)
      .where('finished_at', '>=', since)
      .executeTakeFirstOrThrow();
    if (Number(spent ?? 0) >= site.askAgain.usdPerDay * 1_000_000) return undefined;
    const run = await indexer.runs.read(domain);
    return { run, change: await indexer.changes.newest(domain), isRequested: run.isRequested };
  }

  async function whenIndexed(ask: Ask, state: SiteState): Promise<Indexed | undefined> {
    const { run, change } = state;
    if (run.status === 'running') return undefined;
    const commits = change?.commits ?? [];
    const indexed = { at: run.finishedAt ?? now().toISOString(), commits };
    const isDone = run.status === 'complete' || run.status === 'incomplete';
    const begun = ask.needs === 'run' ? run.startedAt : change?.startedAt;
    const hasBegun = typeof begun === 'string' && begun >= ask.since;
    if (isDone && hasBegun) return indexed;
    // Nobody else begins a run anew whose process died.
    const isCut = run.status === 'failed' && (run.finishedAt ?? '') < (run.startedAt ?? '');
    if (!state.isRequested && (isCut || (ask.needs === 'run' && !hasBegun))) {
      state.isRequested = true;
      await requestRun(ask.domain);
    }
    return undefined;
  }

  async function requestRun(domain: string): Promise<void> {
    await indexer.runs.request(domain);
    deps.wakeIndexer();
  }

  /** A question as its reader asked it, with the conversation before it. */
  async function questionOf(ask: Ask) {
    const turn = await database
      .selectFrom('turns')
      .selectAll()
      .where('id', '=', ask.turn_id)
      .executeTakeFirst();
    if (!turn) return undefined;
    const before = await database
      .selectFrom('turns')
      .select(['question', 'answer', 'filter', 'choices'])
      .where('thread_id', '=', turn.thread_id)
      .where('id', '<', turn.id)
      .where('replaced_by', 'is', null)
      .orderBy('id')
      .execute();
    const filter = turn.filter === null ? undefined : (JSON.parse(turn.filter) as SearchFilter);
    return plainQuestion(turn.question, {
      history: newestTurns(before.map((past) => toPastTurn(past, filter))),
      currentPath: turn.asked_on ?? undefined,
      context: JSON.parse(turn.context) as [],
      filter,
    });
  }

  async function work({ indexed, ...ask }: Ask & { indexed: Indexed }): Promise<void> {
    const mine = database
      .updateTable('gap_asks')
      .where('id', '=', ask.id)
      .where('owner', '=', owner);
    const renewal = setInterval(() => {
      mine
        .set(lease.renew())
        .execute()
        .catch((err: unknown) => log.warn({ err }, 'the lease of a question was not renewed'));
    }, renewMs).unref();
    try {
      const site = sites.find(ask.domain);
      const question = await questionOf(ask);
      if (!site || !question) return;
      const put = (to: Site) =>
        askUnstored(
          { question, site: to, caller: callerFor('ask-again', to) },
          deps,
          stopping.signal,
        );
      // What had an answer is looked at without a model first, which costs nothing.
      const { model: _, fallback: __, ...withoutModel } = site;
      const first = await put(ask.kind === 'check' ? withoutModel : site);
      const isSure = ask.kind === 'again' || first.outcome?.status === 'answered';
      const found = isSure || site.model === undefined ? first : await put(site);
      const values = {
        outcome: found.outcome?.status ?? 'unanswered',
        answer: redact(found.answer),
        sources: JSON.stringify(found.sources),
        model: found.model,
        micro_dollars: found.microDollars ?? 0,
        indexed_at: indexed.at,
        commits: JSON.stringify(indexed.commits),
      };
      await endAsk(database, ask, values, now());
    } catch (err) {
      const isBudget = err instanceof DocentError && err.code === 'budget_exceeded';
      const attempts = ask.attempts + (isBudget || stopping.signal.aborted ? 0 : 1);
      const later = new Date(now().getTime() + (isBudget ? noBudgetMs : retryMs)).toISOString();
      const isOver = attempts >= maxAttempts;
      if (!stopping.signal.aborted)
        log.warn({ err, ask: ask.id }, 'a question was not asked again');
      await mine
        .set({ ...released, attempts, not_before: stopping.signal.aborted ? null : later })
        .set({ error: err instanceof DocentError ? err.message : 'Something went wrong.' })
        .$if(isOver, (rows) => rows.set({ state: 'failed', finished_at: now().toISOString() }))
        .execute();
    } finally {
      clearInterval(renewal);
    }
  }

  /** Asks what can be asked now; returns how many. */
  async function look(): Promise<number> {
    for (const change of await indexer.changes.unchecked()) {
      // Until the run has ended, the pages are the old ones.
      const { status } = await indexer.runs.read(change.domain);
      if (status !== 'running') await queueChecks(change);
    }
    let asked = 0;
    while (!stopping.signal.aborted) {
      const ask = await claim();
      if (!ask) break;
      await work(ask);
      asked += 1;
    }
    return asked;
  }

  return {
    look,
    wake,

    /** Called in the transaction that notes a merge. */
    async afterMerge(tx: Database, { project: id, number, base, at, jobIds }: MergedJobs) {
      const { repository, site: domain } = projects.byId(id) ?? {};
      const site = domain === undefined ? undefined : sites.find(domain);
      if (!site || repository === undefined) return;
      // Where the site is read from elsewhere, only a run that changes pages has the merged ones.
      const isBuilt = base !== undefined && sites.builtFrom(repository, base).includes(site.domain);
      const cause = {
        domain: site.domain,
        kind: 'again',
        cause: `merge ${id} ${number}`,
        since: at,
        needs: isBuilt ? 'run' : 'change',
      } as const;
      const gaps = await gapsOfJobs(tx, jobIds);
      await queueGaps(tx, gaps, cause, now(), site.askAgain.maxQuestions);
    },

    /** On an owner's request, after the documentation was read again. Twice does no more than once. */
    async again({ domain, organization, askAgain }: Site, gap: string, by: string) {
      const at = now();
      const queued = await database.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('gaps')
          .select('state')
          .where('id', '=', gap)
          .where('domain', '=', domain)
          .executeTakeFirst();
        if (!row) throw new DocentError('not_found', 'There is no such gap on this site.');
        const cause = {
          domain,
          kind: 'again',
          cause: `owner ${newId()}`,
          since: at.toISOString(),
          needs: 'run',
        } as const;
        const count = await queueGaps(tx, [gap], cause, at, askAgain.maxQuestions);
        const data = { gap, questions: count };
        const actor = callerActor(by);
        await audit.record(tx, { organization, actor, type: 'gap.asked_again', data });
        return count;
      });
      await requestRun(domain);
      wake();
      return { questions: queued };
    },

    start(): void {
      loop.start();
      wake();
    },

    async stop(): Promise<void> {
      stopping.abort();
      await loop.stop();
    },
  };
}

/** After which index run a question was asked. */
interface Indexed {
  at: string;
  commits: readonly string[];
}

interface SiteState {
  run: Awaited<ReturnType<Indexer['runs']['read']>>;
  change: IndexChange | undefined;
  isRequested: boolean;
}
