/** The repository and the admin key for the demo's agent jobs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyKind } from '@docent/shared/keys';
import { type Docent, type LocalRepository, openLocalRepository } from '@docent/server/docent';
import { syncFolder, type SyncResult } from './sync-folder.ts';

type Say = (line: string) => void;

/** `undefined` if git isn't installed. Then there are no jobs. */
export async function openRepository(
  dataFolder: string,
  name: string,
  say: Say,
): Promise<LocalRepository | undefined> {
  try {
    return await openLocalRepository(resolve(dataFolder, 'repositories', `${name}.git`));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'unavailable';
    if (!isMissing) throw error;
    say('    ! git isn’t installed. The assistant works, but agent jobs need git.');
    return undefined;
  }
}

/** Copies the folder to the repository before jobs start. */
export async function syncBeforeJobs(
  folder: string,
  repository: LocalRepository,
  say: Say,
): Promise<void> {
  const result = await syncFolder(folder, repository);
  logCopied(result, say);
  for (const path of result.kept)
    say(`    ! ${path} changed in a merge and in the folder. The folder’s version is kept.`);
}

/** Copies merged files to the folder, unless someone changed the same file. */
export async function copyMerged(
  folder: string,
  repository: LocalRepository,
  say: Say,
): Promise<void> {
  const result = await syncFolder(folder, repository, { only: 'merged' });
  logCopied(result, say);
  for (const path of result.kept)
    say(`    ! ${path} changed in the folder too. The folder’s version is kept.`);
}

function logCopied({ copied }: SyncResult, say: Say): void {
  if (copied.length > 0) say(`Merged into the folder: ${copied.join(', ')}`);
}

/** An admin key is secret, so only the owner can read the file. Returns the file. */
export async function adminKeyFile(
  docent: Docent,
  organization: string,
  dataFolder: string,
): Promise<string> {
  const file = resolve(dataFolder, 'admin-key');
  const { keys } = docent.services;
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const known = kept === '' ? undefined : await keys.find(kept);
  if (known?.organization === organization && keyKind(kept) === 'admin') return file;
  const { token } = await keys.create({ kind: 'admin', organization, name: 'demo' });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return file;
}
