import { statSync } from 'node:fs';
import type { Database } from '../store/database.ts';

/** Whether the configuration file was written after this time. */
export function hasChanged(file: string | undefined, since: Date): boolean {
  const written = file && statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return typeof written === 'number' && written > since.getTime();
}

/** Whether a service on this database has an older configuration. It reads the file only at its start. */
export async function isServiceOld(database: Database, file: string | undefined): Promise<boolean> {
  const processes = await database.selectFrom('processes').select('started_at').execute();
  return processes.some((each) => hasChanged(file, new Date(each.started_at)));
}

export const restartNeeded = 'The configuration has changed since the service started.';
