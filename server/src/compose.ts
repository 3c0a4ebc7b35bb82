import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { createAgent } from './agent/create-agent.ts';
import { createApp } from './app.ts';
import { createExtractiveModel } from './reader/extractive/extractive-model.ts';
import { createAnswerStreams, type StreamTimeouts } from './reader/stream/answer-streams.ts';
import { createStoredAnswers, questionScope } from './reader/stream/stored-answers.ts';
import { createThreads } from './reader/conversations/threads.ts';
import { createChallenges, deleteExpiredChallenges } from './platform/challenge/challenges.ts';
import type { Loaded } from './platform/config/load.ts';
import { serverUrl } from './platform/config/server-url.ts';
import { callerOf } from './platform/http/require-key.ts';
import type { LocalPull } from './agent/forge/local/pulls.ts';
import { createWidgetBuild } from './platform/http/widget-build.ts';
import { createIndexer } from './docs/indexer/indexer.ts';
import { createSchedule } from './docs/indexer/schedule.ts';
import { newId as newUlid } from './platform/ids.ts';
import { createReaderJobs } from './reader/analytics/jobs/reader-jobs.ts';
import { deleteExpired, forgottenChannel } from './reader/conversations/keeping.ts';
import { deleteOldCounters } from './platform/limits/counter-store.ts';
import { createLimits } from './platform/limits/limits.ts';
import { hourMs } from './platform/limits/windows.ts';
import { createModels } from './platform/models/model.ts';
import type { ModelPatience } from './platform/models/read-model.ts';
import { openParts, type PartsOptions } from './open-services.ts';
import { deleteOldSpend } from './platform/budgets/accounts.ts';
import { watchSameIndex } from './retrieval/embedded/same-index.ts';
import { countActive } from './agent/jobs/read-jobs.ts';
import { createMetrics } from './platform/telemetry/metrics.ts';
import { createPaidSearch } from './reader/search/paid-search.ts';
import { createSpend, tendEveryMs } from './platform/budgets/spend.ts';
import { registerProcess } from './platform/store/processes.ts';
import { deleteOldKeys } from './platform/store/idempotency.ts';
import { lockDataFolder } from './platform/store/sqlite.ts';
import type { SenderOptions } from './platform/webhooks/sender.ts';
import { createWebhooks } from './platform/webhooks/webhooks.ts';

export { type Config, type DocentConfig, defineConfig } from './platform/config/schema.ts';
export { openParts } from './open-services.ts';
export { indexSite } from './docs/indexer/index-site.ts';
export { openLocalRepository, type LocalRepository } from './agent/forge/local/open-repository.ts';
export { evaluate } from './cli/eval/evaluate.ts';
export { readEvalSet } from './cli/eval/eval-set.ts';
export { checkConfig, ConfigError, loadConfig, type Loaded } from './platform/config/load.ts';

export interface DocentOptions extends PartsOptions {
  /** Told of a merge on a page of ours: the base branch has it now. */
  onMerged?: (project: string, pull: LocalPull) => void;
  /** How long a silent model is waited for; tests shorten it. */
  patience?: ModelPatience;
  /** How long an answer is kept for readers who come back; tests shorten it. */
  streamTimeouts?: Partial<StreamTimeouts>;
  /** How webhooks are sent; tests set it. */
  webhooks?: SenderOptions;
  /** `false` where the caller indexes by itself: then nothing is indexed unless it is asked for. */
  schedule?: boolean;
  /** The widget's build, when it isn't the one of this workspace. */
  widgetFolder?: string;
  /** `false`: this process takes agent jobs in and does not work on them. */
  runJobs?: boolean;
}

export type Docent = Awaited<ReturnType<typeof startDocent>>;

/** Starts the service: the parts in their order, then the listener. */
export async function startDocent(loaded: Loaded, options: DocentOptions = {}) {
  const { config, environment } = loaded;
  // With PostgreSQL several servers may share the folder: then it holds nothing but search indexes.
  const lock =
    environment.databaseUrl === undefined
      ? lockDataFolder(config.server.dataFolder)
      : { release() {} };
  const [ground, models] = await Promise.all([
    openParts(loaded, options),
    createModels(config, environment, createExtractiveModel()),
  ]).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const { database, bus, log, now, newId, store } = ground;
  const processes = await registerProcess({ store, newId, log });
  await bus.listen().catch(async (error: unknown) => {
    await ground.close();
    lock.release();
    throw error;
  });
  const threads = createThreads({ database, now, newId, processes });
  const storedAnswers = createStoredAnswers(ground);
  const streams = createAnswerStreams({
    ...ground,
    storedAnswers,
    timeouts: options.streamTimeouts,
  });
  bus.subscribe(forgottenChannel, (ids) => streams.forget(JSON.parse(ids) as string[]));
  const indexer = createIndexer(ground);
  const schedule = createSchedule({ ...ground, indexer, sites: config.sites });
  const challenges = createChallenges(ground);
  const webhooks = createWebhooks(ground, options.webhooks);
  const metrics = createMetrics({
    answers: () => streams.count,
    jobs: () => countActive(database),
  });
  const spend = createSpend({ ...ground, webhooks });
  let url = '';
  const agent = createAgent({
    ...ground,
    processes,
    spend,
    metrics,
    deliveries: webhooks,
    baseUrl: () => config.server.publicUrl ?? url,
    onMerged: options.onMerged,
  });
  let isStopping = false;
  const parts = {
    ...ground,
    threads,
    streams,
    storedAnswers,
    metrics,
    metricsToken:
      config.server.metricsTokenEnv && environment.secret(config.server.metricsTokenEnv),
    spend,
    paidSearch: createPaidSearch({
      retriever: ground.retriever,
      spend,
      hasEmbedder: config.search.embedder !== undefined,
    }),
    challenges,
    jobs: agent.jobs,
    forges: agent.forges,
    links: agent.links,
    changesOf: agent.changesOf,
    webhooks,
    readerJobs: createReaderJobs({ ...ground, createJob: agent.jobFromReaders }),
    limits: createLimits({ database, now, config }, callerOf),
    models,
    indexer,
    schedule,
    widget: createWidgetBuild(options.widgetFolder),
    readiness: {
      isStopping: () => isStopping,
      checkSearch: () => ground.retriever.check(),
      checkDatabase: async () => void (await sql`select 1`.execute(database)),
    },
    ...(options.patience && { patience: options.patience }),
  };

  await processes.whenOthersDie(async () => {
    const interrupted = await threads.endInterrupted();
    if (interrupted > 0)
      log.warn({ turns: interrupted }, 'answers were interrupted by the end of their process');
  });
  const domains = config.sites.map((site) => site.domain);
  const sameIndex =
    store.isShared && config.search.engine === 'embedded'
      ? watchSameIndex({ id: processes.id, domains, bus, retriever: ground.retriever, log })
      : undefined;
  const tidyUp = async () => {
    await deleteOldCounters(database, now());
    await deleteOldSpend(database, now());
    await deleteOldKeys(database, questionScope, now());
    await deleteExpiredChallenges(database, now());
    await webhooks.sender.deleteOld();
    const archived = await agent.archiveOld();
    if (archived > 0) log.info({ jobs: archived }, 'old agent jobs were archived');
    const deleted = await agent.deleteOld();
    if (deleted > 0)
      log.info({ jobs: deleted }, 'agent jobs were deleted at the end of their time');
    const questions = await deleteExpired(ground, config.sites);
    if (questions > 0) log.info({ questions }, 'questions were deleted at the end of their time');
  };
  await tidyUp();
  const tending = setInterval(() => {
    spend.tend().catch((err: unknown) => log.error({ err }, 'budgets could not be tended'));
  }, tendEveryMs).unref();
  const housekeeping = setInterval(() => {
    tidyUp().catch((err: unknown) => log.error({ err }, 'housekeeping failed'));
  }, hourMs).unref();
  if (!(await parts.widget()))
    log.warn('the widget is not built: /docent.js will be missing; run `pnpm build`');

  const app = createApp(parts);
  const server = createServer((request, response) => {
    // Who is still connected goes elsewhere next time.
    if (isStopping) response.setHeader('Connection', 'close');
    app(request, response);
  });
  // Longer than proxies and clients keep theirs (mostly 60 s): who closes first must not be us, or a
  // request that is just being sent is lost.
  server.keepAliveTimeout = 75_000;
  refuseBrokenHttp(server);
  try {
    await listen(server, config.server.port, config.server.host);
  } catch (error) {
    clearInterval(housekeeping);
    clearInterval(tending);
    await processes.leave();
    await ground.close();
    lock.release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  url = serverUrl({ host: config.server.host, port });
  for (const site of config.sites) {
    const model = parts.models.forSite(site.model);
    log.info(
      {
        domain: site.domain,
        model: `${model.provider}/${model.modelId}`,
        retrieval: config.search.engine,
      },
      'site',
    );
  }
  log.info({ url }, 'listening');
  if (options.schedule !== false) schedule.start();
  webhooks.sender.start();
  if (options.runJobs !== false) await agent.start();

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    isStopping = true;
    const scheduled = schedule.stop();
    clearInterval(housekeeping);
    clearInterval(tending);
    sameIndex?.close();
    const graceMs = config.server.shutdownGraceSeconds * 1000;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    agent.closeStreams();
    await Promise.all([streams.drain(graceMs), agent.stop(graceMs)]);
    const cut = setTimeout(() => server.closeAllConnections(), 1_000);
    server.closeIdleConnections();
    await closed;
    clearTimeout(cut);
    await scheduled;
    await webhooks.sender.stop();
    // Where the database is away the others see by themselves that this process has gone.
    await processes.leave().catch((err: unknown) => log.warn({ err }, 'the stop was not noted'));
    await ground.close();
    lock.release();
    log.info('stopped');
  }

  return {
    url,
    parts,
    /** For who walks its routes. */
    app,
    /** Stops taking requests, lets running answers finish within the grace, then frees everything. */
    close: () => (closing ??= close()),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** What is not HTTP at all gets our error shape too. */
function refuseBrokenHttp(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return;
    const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const requestId = newUlid();
    const body = JSON.stringify({
      error: tooLarge
        ? 'The headers of the request are too large.'
        : 'The request is not valid HTTP.',
      code: tooLarge ? 'too_large' : 'bad_request',
      requestId,
    });
    const head = [
      `HTTP/1.1 ${tooLarge ? '413 Content Too Large' : '400 Bad Request'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'X-Content-Type-Options: nosniff',
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
