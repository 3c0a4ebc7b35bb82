/**
 * Keeps the folder of documentation and the repository of its agent jobs in step. The folder is what
 * people edit and the site is made from; the repository is where jobs work. A mark in the repository
 * says how both last agreed, so that it is known for each file who changed it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { LocalRepository } from '@docent/server/docent';

export interface Step {
  /** Paths that the folder had changed, now on the main branch. */
  committed: string[];
  /** Paths that were merged, now in the folder. */
  taken: string[];
  /** Merged, but changed in the folder too: the folder keeps its own. */
  kept: string[];
}

type Ids = Map<string, string>;

const branch = 'main';
const markName = 'folder';
/** What is larger is no documentation. */
const mostBytes = 5 * 1024 * 1024;
const ignored = new Set(['node_modules']);

/**
 * Brings both together. `merged`: only what was merged is taken over, and what the folder has changed
 * meanwhile waits; otherwise the folder's changes are committed too, and win where both changed.
 */
export async function bringInStep(
  folder: string,
  repository: LocalRepository,
  { only }: { only?: 'merged' } = {},
): Promise<Step> {
  const [here, tip, mark] = await Promise.all([
    readFolder(folder),
    repository.tip(branch),
    repository.marked(markName),
  ]);
  const [there, before] = await Promise.all([idsOf(repository, tip), idsOf(repository, mark)]);
  const step: Step = { committed: [], taken: [], kept: [] };
  for (const path of new Set([...here.keys(), ...there.keys(), ...before.keys()])) {
    const [mine, theirs, last] = [here.get(path)?.id, there.get(path), before.get(path)];
    if (mine === theirs) continue;
    if (mine === last) step.taken.push(path);
    else if (only === 'merged') {
      if (theirs !== last) step.kept.push(path);
    } else {
      step.committed.push(path);
      if (theirs !== last && last !== undefined) step.kept.push(path);
    }
  }

  const contents = tip === undefined ? new Map() : await repository.read(tip, step.taken);
  step.taken = await takeOver(folder, step.taken, contents);
  const agreed = new Map<string, Buffer | null>();
  for (const path of step.taken) agreed.set(path, contents.get(path) ?? null);
  const own = new Map(step.committed.map((path) => [path, here.get(path)?.bytes ?? null]));
  if (own.size > 0) {
    const message =
      tip === undefined ? 'Begin with the folder' : 'Take over what the folder changed';
    const commit = await repository.write(tip, own, message);
    await repository.move(branch, tip, commit);
    for (const [path, bytes] of own) agreed.set(path, bytes);
  }
  if (agreed.size > 0) {
    await repository.mark(markName, await repository.write(mark, agreed, 'The folder'));
  }
  return step;
}

async function idsOf(repository: LocalRepository, commit: string | undefined): Promise<Ids> {
  return commit === undefined ? new Map() : repository.files(commit);
}

async function readFolder(folder: string): Promise<Map<string, { id: string; bytes: Buffer }>> {
  const found = new Map<string, { id: string; bytes: Buffer }>();
  const walk = async (place: string) => {
    for (const entry of await readdir(place, { withFileTypes: true })) {
      if (entry.name.startsWith('.') || ignored.has(entry.name)) continue;
      const file = join(place, entry.name);
      if (entry.isDirectory()) await walk(file);
      else if (entry.isFile() && (await stat(file)).size <= mostBytes) {
        const bytes = await readFile(file);
        found.set(relative(folder, file).split(sep).join('/'), { id: idOf(bytes), bytes });
      }
    }
  };
  await walk(folder);
  return found;
}

/** As git names contents. */
function idOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** Writes files into the folder, and never outside of it. */
async function takeOver(
  folder: string,
  paths: readonly string[],
  contents: ReadonlyMap<string, Buffer>,
): Promise<string[]> {
  const root = await realpath(folder);
  const taken: string[] = [];
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
      // Whole or not at all: the site may be built at this moment.
      const half = `${file}.${randomUUID()}.tmp`;
      await writeFile(half, bytes);
      await rename(half, file);
    }
    taken.push(path);
  }
  return taken;
}

/** Where a folder of the path is a link, it may lead out; what is not there yet will be where its parent is. */
async function isInside(root: string, place: string): Promise<boolean> {
  const real = await realpath(place).catch(() => undefined);
  if (real === undefined) return place !== dirname(place) && isInside(root, dirname(place));
  return real === root || real.startsWith(root + sep);
}
