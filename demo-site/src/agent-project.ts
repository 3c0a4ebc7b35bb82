/** What the demo needs for agent jobs: a repository of its own beside the folder, and an admin key. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Docent, type LocalRepository, openLocalRepository } from '@docent/server/docent';
import { bringInStep, type Step } from './in-step.ts';

type Say = (line: string) => void;

/** `undefined`: git is not installed, so there are no jobs. */
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
    say('    ! git is not installed: the assistant works, agent jobs need it');
    return undefined;
  }
}

/** Before jobs begin: the repository has what the folder has. */
export async function beginInStep(
  folder: string,
  repository: LocalRepository,
  say: Say,
): Promise<void> {
  const step = await bringInStep(folder, repository);
  tellTaken(step, say);
  for (const path of step.kept)
    say(`    ! ${path} was merged and changed in the folder too: the folder's text counts`);
}

/** After a merge: the folder has what was merged, unless somebody changed the same file. */
export async function takeOverMerged(
  folder: string,
  repository: LocalRepository,
  say: Say,
): Promise<void> {
  const step = await bringInStep(folder, repository, { only: 'merged' });
  tellTaken(step, say);
  for (const path of step.kept)
    say(`    ! ${path} was not taken over: the folder's own text has changed meanwhile`);
}

function tellTaken({ taken }: Step, say: Say): void {
  if (taken.length > 0) say(`Merged into the folder: ${taken.join(', ')}`);
}

/** An admin key is a secret: the file is for its owner alone. Gives back the file. */
export async function adminKeyFile(
  docent: Docent,
  organization: string,
  dataFolder: string,
): Promise<string> {
  const file = resolve(dataFolder, 'admin-key');
  const { keys } = docent.parts;
  const kept = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const known = kept === '' ? undefined : await keys.find(kept);
  if (known?.kind === 'admin' && known.organization === organization) return file;
  const { token } = await keys.create({ kind: 'admin', organization, name: 'demo' });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  return file;
}
