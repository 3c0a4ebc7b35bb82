/**
 * Synchronizes the documentation folder with the repository of its agent jobs. People edit the folder,
 * and the site is built from it. Jobs use the repository. A ref in the repository marks the last
 * synchronized state, which shows on which side a file changed.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { LocalRepository } from '@docent/server/docent';

export interface SyncResult {
  /** Paths that changed in the folder and are now on the main branch. */
  committed: string[];
  /** Merged paths that are now in the folder. */
  copied: string[];
  /** Merged paths that also changed in the folder. The folder keeps its version. */
  kept: string[];
}

type Ids = Map<string, string>;

const branch = 'main';
const markName = 'folder';
/** Larger files aren't documentation. */
const maxBytes = 5 * 1024 * 1024;
const ignored = new Set(['node_modules']);

/**
 * Synchronizes both sides. With `merged`, it only copies merged files to the folder. Otherwise, it also
 * commits the folder's changes, which win over merged changes.
 */
export async function syncFolder(
  folder: string,
  repository: LocalRepository,
  { only }: { only?: 'merged' } = {},
): Promise<SyncResult> {
  const [here, tip, mark] = await Promise.all([
    readFolder(folder),
    repository.tip(branch),
    repository.marked(markName),
  ]);
  const [there, before] = await Promise.all([idsOf(repository, tip), idsOf(repository, mark)]);
  const result: SyncResult = { committed: [], copied: [], kept: [] };
  for (const path of new Set([...here.keys(), ...there.keys(), ...before.keys()])) {
    const [mine, theirs, last] = [here.get(path)?.id, there.get(path), before.get(path)];
    if (mine === theirs) continue;
    if (mine === last) result.copied.push(path);
    else if (only === 'merged') {
      if (theirs !== last) result.kept.push(path);
    } else {
      result.committed.push(path);
      if (theirs !== last && last !== undefined) result.kept.push(path);
    }
  }

  const contents = tip === undefined ? new Map() : await repository.read(tip, result.copied);
  result.copied = await copyFiles(folder, result.copied, contents);
  const agreed = new Map<string, Buffer | null>();
  for (const path of result.copied) agreed.set(path, contents.get(path) ?? null);
  const own = new Map(result.committed.map((path) => [path, here.get(path)?.bytes ?? null]));
  if (own.size > 0) {
    const message = tip === undefined ? 'Add the folder' : 'Add changes from the folder';
    const commit = await repository.write(tip, own, message);
    await repository.move(branch, tip, commit);
    for (const [path, bytes] of own) agreed.set(path, bytes);
  }
  if (agreed.size > 0) {
    await repository.mark(markName, await repository.write(mark, agreed, 'The folder'));
  }
  return result;
}

async function idsOf(repository: LocalRepository, commit: string | undefined): Promise<Ids> {
  return commit === undefined ? new Map() : repository.files(commit);
}

async function readFolder(folder: string): Promise<Map<string, { id: string; bytes: Buffer }>> {
  const found = new Map<string, { id: string; bytes: Buffer }>();
  const walk = async (path: string) => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || ignored.has(entry.name)) continue;
      const file = join(path, entry.name);
      if (entry.isDirectory()) await walk(file);
      else if (entry.isFile() && (await stat(file)).size <= maxBytes) {
        const bytes = await readFile(file);
        found.set(relative(folder, file).split(sep).join('/'), { id: idOf(bytes), bytes });
      }
    }
  };
  await walk(folder);
  return found;
}

/** The object name that git gives the content. */
function idOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Writes files to the folder, never outside it. */
async function copyFiles(
  folder: string,
  paths: readonly string[],
  contents: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const root = await realpath(folder);
  const copied: string[] = [];
  for (const path of paths) {
    if (path.split('/').some((part) => part === '' || part.startsWith('.') || ignored.has(part))) {
      continue;
    }
    const file = resolve(root, path);
    if (!(await isInside(root, dirname(file)))) continue;
    const bytes = contents.get(path);
    if (bytes === undefined) {
      await rm(file, { force: true });
    } else {
      await mkdir(dirname(file), { recursive: true });
      // Atomic, because the site might be building.
      const temporary = `${file}.${randomUUID()}.tmp`;
      await writeFile(temporary, bytes);
      await rename(temporary, file);
    }
    copied.push(path);
  }
  return copied;
}

/** A folder in the path can be a link that leads outside. A missing folder counts as its parent. */
async function isInside(root: string, path: string): Promise<boolean> {
  const real = await realpath(path).catch(() => undefined);
  if (real === undefined) return path !== dirname(path) && isInside(root, dirname(path));
  return real === root || real.startsWith(root + sep);
}
