import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Loaded } from './config/load.ts';
import { type NewId, newId as newUlid } from './ids.ts';
import { createKeys } from './keys/key-store.ts';
import { createLog, type Logger } from './log.ts';
import { createProjects } from './projects/projects.ts';
import { createRetriever } from './retrieval/create-retriever.ts';
import { createSites } from './sites/sites.ts';
import { openStore } from './store/database.ts';
import { createTracing } from './telemetry/tracing.ts';

export interface PartsOptions {
  log?: Logger;
  /** The clock; tests set it. */
  now?: () => Date;
  newId?: NewId;
}

export type Parts = Awaited<ReturnType<typeof openParts>>;

/** Makes the parts every command works with: database, keys, retrieval. */
export async function openParts({ config, environment }: Loaded, options: PartsOptions = {}) {
  const now = options.now ?? (() => new Date());
  const newId = options.newId ?? newUlid;
  const log = options.log ?? createLog(environment.logLevel);
  const { dataFolder } = config.server;
  const tracing = await createTracing(environment, log);
  const store = await openStore({ dataFolder, databaseUrl: environment.databaseUrl, log });
  const { database, bus } = store;
  const keys = createKeys({ database, now, newId });
  const sites = createSites(config);
  const projects = createProjects(config);
  // The index is a file also where the database is none: one of the system's, taken away at the end.
  const temporary =
    dataFolder === ':memory:' ? await mkdtemp(join(tmpdir(), 'docent-index-')) : undefined;
  const retriever = createRetriever({
    search: config.search,
    folder: temporary ?? join(dataFolder, 'index'),
    secret: (variable) => environment.secret(variable),
    log,
  });
  return {
    config,
    environment,
    log,
    tracing,
    now,
    newId,
    store,
    database,
    bus,
    keys,
    sites,
    projects,
    retriever,
    async close() {
      await retriever.close();
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      await store.close();
      await tracing.close();
    },
  };
}
