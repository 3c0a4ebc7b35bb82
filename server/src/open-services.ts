import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudit } from './notify/audit/audit.ts';
import { hasChanged, type Loaded } from './platform/config/load.ts';
import { createKeys } from './accounts/keys/keys.ts';
import { createLog, type Logger } from './platform/log.ts';
import { createPeople } from './accounts/people/people.ts';
import { createSourceTokens } from './agent/connect/source-token.ts';
import { createConnected } from './platform/tenants/connected.ts';
import { createProjects } from './platform/tenants/projects.ts';
import { recognizeSecrets } from './platform/redaction/own-secrets.ts';
import { createRetriever } from './retrieval/create-retriever.ts';
import { createSiteSettings } from './reader/site-settings.ts';
import { createWords } from './reader/words/words.ts';
import { createSites } from './platform/tenants/sites.ts';
import { createSeal } from './platform/store/seal.ts';
import { openStore } from './open-store.ts';
import { createTracing } from './platform/telemetry/tracing.ts';

export interface OpenOptions {
  log?: Logger;
  /** The clock; tests set it. */
  now?: () => Date;
}

export type BaseServices = Awaited<ReturnType<typeof openServices>>;

/** Opens the services that every command needs: database, keys, retrieval. */
export async function openServices(
  { config, environment, secrets, input, file }: Loaded,
  options: OpenOptions = {},
) {
  const now = options.now ?? (() => new Date());
  const forgetSecrets = recognizeSecrets(secrets);
  const log = options.log ?? createLog(environment.logLevel);
  const { dataFolder } = config.server;
  const tracing = await createTracing(environment, log);
  const store = await openStore({
    dataFolder,
    databaseUrl: environment.databaseUrl,
    log,
    now: options.now,
  });
  const { database, bus } = store;
  const audit = createAudit({ store, now });
  const keys = createKeys({ database, now, audit });
  const people = createPeople({ database, now, audit, config });
  const openedAt = new Date();
  const siteSettings = createSiteSettings({ database, now, audit });
  const seal = createSeal({ secret: environment.credentialsKey, dataFolder });
  const connected = createConnected({ config, store, seal });
  await connected.reload();
  const sites = createSites({ config, connected, isOld: () => hasChanged(file, openedAt) });
  const projects = createProjects({ config, environment, connected });
  const sourceToken = createSourceTokens({ projects, now });
  const words = createWords({ database, now, audit, siteSettings });
  // The index is a file even if the database is in memory: then it's in a temporary folder.
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
    /** The configuration before defaults, and its file. */
    input,
    file,
    log,
    tracing,
    now,
    store,
    database,
    bus,
    audit,
    keys,
    people,
    sites,
    siteSettings,
    seal,
    words,
    projects,
    sourceToken,
    retriever,
    async close() {
      connected.close();
      await retriever.close();
      if (temporary !== undefined) await rm(temporary, { recursive: true, force: true });
      await store.close();
      await tracing.close();
      forgetSecrets();
    },
  };
}
