/** The rows of this feature, as `platform/store/tables.ts` says. */
import { integer, type RowsOf, text } from '../platform/store/columns.ts';

/** `waiting`: the run would remove many pages, and waits for approval. */
export type IndexRunStatus = 'never' | 'running' | 'complete' | 'incomplete' | 'waiting' | 'failed';

export const indexTables = {
  /** `docs/indexer/source-states.ts` */
  index_sources: {
    domain: text().primary,
    /** Kind and address of the source. */
    source: text().primary,
    /** JSON: the paths of its pages, and what it keeps for the next run. */
    state: text(),
    updated_at: text(),
  },

  /** `docs/indexer/index-runs.ts`: one row for each site. */
  index_runs: {
    domain: text().primary,
    status: text<IndexRunStatus>(),
    /** The run that holds the lease; null if none runs. */
    owner: text().orNull,
    lease_until: text().orNull,
    /** When someone asked for a run that hasn't started. */
    requested_at: text().orNull,
    started_at: text().orNull,
    finished_at: text().orNull,
    /** JSON of the run's progress. */
    progress: text().orNull,
    /** Of the last run that succeeded: its beginning, and the commits of the site's repositories as a JSON list. */
    indexed_at: text().orNull,
    commits: text().orNull,
    /** JSON of the last run's report. */
    report: text().orNull,
    /** 1: that run may remove many pages. */
    accepts_fewer: integer(),
    error: text().orNull,
  },

  /** `docs/indexer/index-changes.ts`: index runs that changed pages. */
  index_changes: {
    id: text().primary,
    domain: text(),
    /** The beginning of the run. */
    started_at: text(),
    /** JSON lists: paths of pages that were added, changed, or removed; commits of the site's repositories. */
    paths: text(),
    commits: text(),
    /** When answers from these pages were looked at. */
    checked_at: text().orNull,
  },
};

export const indexIndexes = `
create index index_changes_domain on index_changes (domain, id);
create index index_changes_unchecked on index_changes (id) where checked_at is null;
`;

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof indexTables> {}
}
