import type { Database } from '../../store/database.ts';

/** First come, first served, over all projects; who has reached its own limit lets others pass. */
export function placesOf(database: Database, ids: string[]) {
  return database
    .selectFrom((queue) =>
      queue
        .selectFrom('agent_jobs')
        .select('id')
        .select((job) =>
          job.fn
            .agg<number>('row_number')
            .over((over) => over.orderBy('queued_at').orderBy('id'))
            .as('place'),
        )
        .where('phase', '=', 'queued')
        .as('queue'),
    )
    .select(['id', 'place'])
    .where('id', 'in', ids)
    .execute();
}
