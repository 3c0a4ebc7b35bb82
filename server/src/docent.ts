import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { createApp } from './app.ts';
import { createExtractiveModel } from './assistant/extractive/extractive-model.ts';
import { createRunningAnswers } from './assistant/running-answers.ts';
import { createThreads } from './assistant/threads.ts';
import type { Loaded } from './config/load.ts';
import { callerOf } from './http/require-key.ts';
import { isWidgetBuilt } from './http/widget-files.ts';
import { type NewId, newId as newUlid } from './ids.ts';
import { createKeys } from './keys/key-store.ts';
import { deleteOldCounters } from './limits/counter-store.ts';
import { createLimits } from './limits/limits.ts';
import { createLog, type Logger } from './log.ts';
import { createModels } from './model/model.ts';
import type { ModelPatience } from './model/read-model.ts';
import { createEmbeddedRetriever } from './retrieval/embedded-retriever.ts';
import { createSites } from './sites/sites.ts';
import { lockDataFolder, openDatabase } from './store/database.ts';

export { type Config, type DocentConfig, defineConfig } from './config/schema.ts';
export { indexFolder } from './ingest/index-folder.ts';
export { checkConfig, ConfigError, loadConfig, type Loaded } from './config/load.ts';

export interface DocentOptions {
  log?: Logger;
  /** The clock; tests set it. */
  now?: () => Date;
  newId?: NewId;
  patience?: ModelPatience;
}

export type Docent = Awaited<ReturnType<typeof startDocent>>;

const hourMs = 3_600_000;

/** Makes the parts every command works with: database, keys, retrieval. */
export async function openParts({ config, environment }: Loaded, options: DocentOptions = {}) {
  const now = options.now ?? (() => new Date());
  const newId = options.newId ?? newUlid;
  const log = options.log ?? createLog(environment.logLevel);
  const { dataFolder } = config.server;
  const database = await openDatabase(dataFolder);
  const keys = createKeys({ database, now, newId });
  const sites = createSites(config);
  // The index is a file also where the database is none: one of the system's, taken away at the end.
  const temporary =
    dataFolder === ':memory:' ? await mkdtemp(join(tmpdir(), 'docent-index-')) : undefined;
  const retriever = createEmbeddedRetriever({
    folder: temporary ?? join(dataFolder, 'index'),
    log,
  });
  return {
    config,
    environment,
    log,
    now,
    newId,
    database,
    keys,
    sites,
    retriever,
    async close() {
      await retriever.close();
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      await database.destroy();
    },
  };
}

/** Starts the service: the parts in their order, then the listener. */
export async function startDocent(loaded: Loaded, options: DocentOptions = {}) {
  const { config, environment } = loaded;
  const lock = lockDataFolder(config.server.dataFolder);
  const ground = await openParts(loaded, options).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const { database, log, now, newId } = ground;
  const threads = createThreads({ database, now, newId });
  const running = createRunningAnswers();
  let isStopping = false;
  const parts = {
    ...ground,
    threads,
    running,
    limits: createLimits({ database, now, config }, callerOf),
    models: createModels(config, environment, createExtractiveModel()),
    readiness: {
      isStopping: () => isStopping,
      checkDatabase: async () => void (await sql`select 1`.execute(database)),
    },
    ...(options.patience && { patience: options.patience }),
  };

  const interrupted = await threads.endInterrupted();
  if (interrupted > 0)
    log.warn({ turns: interrupted }, 'answers were interrupted by the last stop');
  await deleteOldCounters(database, now());
  const housekeeping = setInterval(() => {
    deleteOldCounters(database, now()).catch((err: unknown) =>
      log.error({ err }, 'housekeeping failed'),
    );
  }, hourMs).unref();
  if (!isWidgetBuilt())
    log.warn('the widget is not built: /docent.js will be missing; run `pnpm build`');

  const app = createApp(parts);
  const server = createServer((request, response) => {
    // Who is still connected goes elsewhere next time.
    if (isStopping) response.setHeader('Connection', 'close');
    app(request, response);
  });
  refuseBrokenHttp(server);
  try {
    await listen(server, config.server.port, config.server.host);
  } catch (error) {
    clearInterval(housekeeping);
    await ground.close();
    lock.release();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const url = `http://${config.server.host.includes(':') ? `[${config.server.host}]` : config.server.host}:${port}`;
  for (const site of config.sites) {
    const model = parts.models.forSite(site.model);
    log.info(
      { domain: site.domain, model: `${model.provider}/${model.modelId}`, retrieval: 'embedded' },
      'site',
    );
  }
  log.info({ url }, 'listening');

  let closing: Promise<void> | undefined;
  async function close(): Promise<void> {
    isStopping = true;
    clearInterval(housekeeping);
    const graceMs = config.server.shutdownGraceSeconds * 1000;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    await running.drain(graceMs);
    const cut = setTimeout(() => server.closeAllConnections(), 1_000);
    server.closeIdleConnections();
    await closed;
    clearTimeout(cut);
    await ground.close();
    lock.release();
    log.info('stopped');
  }

  return {
    url,
    parts,
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
