import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import own from '@docent/server/package.json' with { type: 'json' };
import type { ServiceHealthReply } from '@docent/shared/sites';
import { sql } from 'kysely';
import { countActive } from '../agent/jobs/read-jobs.ts';
import type { Services } from '../compose.ts';
import { recentErrors } from '../platform/log.ts';
import { droppedNotice } from '../platform/models/model-server.ts';
import { hasSeveralOrganizations } from '../platform/tenants/sites.ts';

export async function describeHealth(
  services: Services,
  organization: string,
): Promise<ServiceHealthReply> {
  const { config, database, store, retriever, processes, streams } = services;
  const { dataFolder } = config.server;
  const asked = performance.now();
  await sql`select 1`.execute(database);
  const latencyMs = performance.now() - asked;
  const [jobs, living, deliveries, search, disk, bytes] = await Promise.all([
    countActive(database, hasSeveralOrganizations(config) ? organization : undefined),
    database
      .selectFrom('processes')
      .select(['name', 'started_at as startedAt'])
      .where('id', 'in', processes.living())
      .execute(),
    database
      .selectFrom('webhook_deliveries')
      .select((row) => row.fn.countAll<number>().as('count'))
      .where('status', '=', 'pending')
      .$if(hasSeveralOrganizations(config), (rows) => rows.where('organization', '=', organization))
      .executeTakeFirstOrThrow(),
    retriever.check().catch(() => 'unavailable'),
    dataFolder === ':memory:' ? undefined : statfs(dataFolder),
    store.isShared || dataFolder === ':memory:'
      ? undefined
      : stat(join(dataFolder, 'docent.db')).catch(() => undefined),
  ]);
  return {
    version: own.version,
    node: process.versions.node,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    memoryBytes: process.memoryUsage.rss(),
    eventLoop: services.eventLoop.delays(),
    processes: living,
    database: {
      kind: store.isShared ? 'postgresql' : 'sqlite',
      latencyMs,
      bytes: bytes?.size ?? null,
    },
    disk: disk
      ? { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize }
      : null,
    search: {
      engine: config.search.engine,
      state: search,
      embedder: config.search.embedder
        ? {
            model: config.search.embedder.model,
            state: retriever.embedderState() ?? 'unknown',
          }
        : null,
    },
    models: Object.entries(config.models).map(([name, model]) => {
      const server = services.models.serverOf(name);
      return {
        name,
        model: 'model' in model ? String(model.model) : name,
        server: server?.facts.kind ?? null,
        contextTokens: server?.contextTokens() ?? model.contextTokens ?? null,
        notice: droppedNotice(name, server) ?? null,
      };
    }),
    queue: {
      activeJobs: jobs.running,
      waitingJobs: jobs.queued,
      runningAnswers: streams.count,
      pendingDeliveries: Number(deliveries.count),
    },
    recentErrors: hasSeveralOrganizations(config) ? [] : recentErrors(),
  };
}
