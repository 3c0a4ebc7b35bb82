/** Starts and stops a server process. */
import own from '@docent/server/package.json' with { type: 'json' };
import { createApp, type MoreRoutes } from './app.ts';
import { type ComposeOptions, composeServices, type ServerState } from './compose.ts';
import { startHousekeeping } from './housekeeping.ts';
import { type OpenOptions, openServices } from './open-services.ts';
import type { Loaded } from './platform/config/load.ts';
import { sameModels, serverUrl } from './platform/config/schema.ts';
import { listen } from './platform/http/listen.ts';
import { isAllowedOrigin } from './platform/http/site-cors.ts';
import { createLog } from './platform/log.ts';
import { setupAddress } from './accounts/people/person-tokens.ts';
import { createModels } from './platform/models/model.ts';
import { registerProcess } from './platform/store/processes.ts';
import { watchEventLoop } from './platform/telemetry/event-loop.ts';
import { lockDataFolder } from './platform/store/sqlite.ts';
import { forgottenChannel } from './reader/conversations/retention.ts';
import { createExtractiveModel } from './reader/extractive/extractive-model.ts';

export { openLocalRepository, type LocalRepository } from './agent/forge/local/open-repository.ts';
export { evaluate } from './cli/eval/evaluate.ts';
export { readEvalSet } from './cli/eval/eval-set.ts';
export { indexSite } from './docs/indexer/index-site.ts';
export { createModels } from './platform/models/model.ts';
export { createExtractiveModel } from './reader/extractive/extractive-model.ts';
export { openServices } from './open-services.ts';
export { checkConfig, ConfigError, loadConfig, type Loaded } from './platform/config/load.ts';
export { createLog } from './platform/log.ts';
export { type Config, type DocentConfig, defineConfig } from './platform/config/schema.ts';

export interface DocentOptions extends OpenOptions, ComposeOptions {
  /** `false`: indexes only on request. */
  schedule?: boolean;
  /** `false`: this process accepts agent jobs and doesn't work on them. */
  runJobs?: boolean;
  routes?: MoreRoutes;
}

export type Docent = Awaited<ReturnType<typeof startDocent>>;

export async function startDocent(loaded: Loaded, options: DocentOptions = {}) {
  const { config, environment } = loaded;
  /** Freed in reverse order, after a stop or a failed start. */
  await using starting = new AsyncDisposableStack();
  const log = options.log ?? createLog(environment.logLevel);
  const { dataFolder } = config.server;
  const { databaseUrl } = environment;
  const database = databaseUrl === undefined ? 'SQLite' : 'PostgreSQL';
  const { engine } = config.search;
  // With PostgreSQL, several servers may share the data folder: it holds only search indexes.
  if (databaseUrl === undefined) {
    const lock = lockDataFolder(dataFolder, log);
    starting.defer(() => lock.release());
  }
  const opening = openServices(loaded, { ...options, log });
  starting.defer(async () => (await opening.catch(() => undefined))?.close());
  const [base, models] = await Promise.all([
    opening,
    createModels(config, environment, createExtractiveModel()),
  ]);
  const { bus } = base;
  log.info({ version: own.version, dataFolder, database, engine }, 'starting');
  const processes = await registerProcess(base);
  starting.defer(async () => {
    // If the database is away, the other processes notice by themselves that this one is gone.
    await processes
      .leave()
      .catch((err: unknown) => log.warn({ err }, "the stop couldn't be recorded"));
  });
  await bus.listen();

  const state: ServerState = {
    url: '',
    dashboardUrl: '',
    dashboardPort: undefined,
    isStopping: false,
  };
  const eventLoop = watchEventLoop(log);
  starting.defer(() => eventLoop.close());
  const services = composeServices({ ...base, models, processes, state, eventLoop }, options);
  const { agent, askAgain, digests, streams, schedule, threads, webhooks } = services;
  bus.subscribe(forgottenChannel, (ids) => streams.forget(JSON.parse(ids) as string[]));
  await processes.whenOthersDie(async () => {
    const turns = await threads.endInterrupted();
    if (turns > 0) log.warn({ turns }, 'answers were interrupted by the end of their process');
  });
  const housekeeping = await startHousekeeping(services);
  starting.defer(() => housekeeping.stop());
  if (!(await services.widget())) {
    log.warn('the widget is not built: /docent.js will be missing; run `pnpm build`');
  }

  const app = createApp(services, options.routes);
  const server = await listen(app, config.server);
  starting.defer(() => server.close());
  state.url = serverUrl({ host: config.server.host, port: server.port });
  state.dashboardUrl = state.url;
  const { host } = config.server;
  const { port, enabled } = config.dashboard;
  const dashboard = enabled && port !== undefined ? await listen(app, { host, port }) : undefined;
  if (dashboard) {
    starting.defer(() => dashboard.close());
    state.dashboardPort = dashboard.port;
    state.dashboardUrl = serverUrl({ host, port: dashboard.port });
  }
  for (const site of services.sites.all()) {
    const { domain } = site;
    const { provider, modelId } = models.forSite(site)[0].model;
    log.info({ domain, model: `${provider}/${modelId}` }, 'site');
    const { baseUrl } = site.docs;
    const origin = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
    if (origin !== undefined && !isAllowedOrigin(origin, site.allowedOrigins)) {
      const why = 'pages of the origin of `docs.baseUrl` may not ask: add it to `allowedOrigins`';
      log.warn({ domain, origin }, why);
    }
  }
  const same = sameModels(config);
  if (same !== undefined) log.warn(same);
  log.info({ url: state.url }, 'listening');
  const { owner } = environment;
  if (owner) await services.people.seed(owner);
  const setupUrl = await setupAddress(services, services.baseUrl());
  if (options.schedule !== false) schedule.start();
  webhooks.sender.start();
  askAgain.start();
  digests.start();
  if (options.runJobs !== false) await agent.start();
  const resources = starting.move();

  async function stop(): Promise<void> {
    state.isStopping = true;
    server.stopAccepting();
    dashboard?.stopAccepting();
    await housekeeping.stop();
    agent.closeStreams();
    const graceMs = config.server.shutdownGraceSeconds * 1000;
    const scheduled = schedule.stop();
    await Promise.all([streams.drain(graceMs), agent.stop(graceMs)]);
    await server.close();
    await scheduled;
    await askAgain.stop();
    await digests.stop();
    await webhooks.sender.stop();
    await resources.disposeAsync();
    log.info('stopped');
  }
  let stopping: Promise<void> | undefined;

  return {
    url: state.url,
    /** Undefined: it's switched off. */
    dashboardUrl: enabled ? `${services.baseUrl()}/dashboard` : undefined,
    /** Where the first account is made, with a token that works once; undefined: there is one. */
    setupUrl,
    services,
    /** For tests that walk its routes. */
    app,
    /** Stops accepting requests, lets running answers finish within the grace, then frees everything. */
    close: () => (stopping ??= stop()),
  };
}
