import { IndexQuery } from '@docent/shared/sites';
import { z } from 'zod';
import { editorWrites, endpointsOf, json, viewerReads } from '../../platform/http/endpoint.ts';
import type { Indexer } from './indexer.ts';
import type { Schedule } from './schedule.ts';

interface IndexEndpointDeps {
  indexer: Pick<Indexer, 'runs'>;
  schedule: Pick<Schedule, 'wake'>;
}
const IndexRun = z.looseObject({
  domain: z.string(),
  status: z.string(),
  isRequested: z.boolean(),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  progress: z.looseObject({}).nullable(),
  report: z.looseObject({ pages: z.number() }).nullable(),
  error: z.string().nullable(),
});

const endpoint = endpointsOf<IndexEndpointDeps>('Operations');

export const indexEndpoints = [
  endpoint('POST /v1/index/{domain}', {
    id: 'startIndexing',
    summary: 'Read the documentation again',
    who: editorWrites,
    query: IndexQuery,
    reply: json(IndexRun, 'A run was asked for.', {
      status: 202,
      headers: { Location: 'Where to read how it stands.' },
    }),
    // If one is in progress, another follows it.
    async run({ site: { domain }, query: { acceptFewer = false }, response }, deps) {
      const run = await deps.indexer.runs.request(domain, { acceptFewer });
      void deps.schedule.wake();
      response.location(`/v1/index/${domain}`);
      return run;
    },
  }),

  endpoint('GET /v1/index/{domain}', {
    id: 'getIndexing',
    summary: 'How reading the documentation stands, and what the last run did',
    who: viewerReads,
    reply: IndexRun,
    run: ({ site }, { indexer }) => indexer.runs.read(site.domain),
  }),
];
