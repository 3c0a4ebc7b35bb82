/** Every table of the service. */
import { accountIndexes, accountTables } from './accounts/tables.ts';
import { agentIndexes, agentTables } from './agent/tables.ts';
import { budgetIndexes, budgetTables } from './budgets/tables.ts';
import { indexIndexes, indexTables } from './docs/tables.ts';
import { notifyIndexes, notifyTables, notifyTriggers } from './notify/tables.ts';
import { ownerTables } from './owner/tables.ts';
import { openStoreWith, type Store, type StoreOptions } from './platform/store/database.ts';
import type { Schema } from './platform/store/migrate.ts';
import { platformIndexes, platformTables } from './platform/store/tables.ts';
import { readerIndexes, readerTables } from './reader/tables.ts';

export const schema: Schema = {
  // A table comes after those that it refers to.
  tables: {
    ...platformTables,
    ...notifyTables,
    ...accountTables,
    ...budgetTables,
    ...indexTables,
    ...readerTables,
    ...agentTables,
    ...ownerTables,
  },
  indexes: [
    platformIndexes,
    notifyIndexes,
    accountIndexes,
    budgetIndexes,
    indexIndexes,
    readerIndexes,
    agentIndexes,
  ]
    .flatMap((all) => all.split(';'))
    .filter((statement) => statement.trim() !== ''),
  triggers: notifyTriggers,
};

export const openStore = (options: StoreOptions): Promise<Store> => openStoreWith(schema, options);
