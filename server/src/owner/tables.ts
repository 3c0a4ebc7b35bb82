/** The rows of this feature, as `platform/store/tables.ts` says. */
import { type RowsOf, text } from '../platform/store/columns.ts';

export const ownerTables = {
  /** `owner/connected-sites.ts`: sites that the configuration doesn't have. */
  connected_sites: {
    domain: text().primary,
    organization: text(),
    connection: text().references('connections'),
    /** JSON of what the configuration would say, without `domain` and `organization`. */
    settings: text(),
    created_at: text(),
    created_by: text(),
  },
};

declare module '../platform/store/tables.ts' {
  interface Tables extends RowsOf<typeof ownerTables> {}
}
