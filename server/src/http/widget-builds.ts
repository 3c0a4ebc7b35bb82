/**
 * The widget's built files: those of today, and those of earlier builds that pages may still ask for,
 * because a tab stood open during an upgrade or an owner wrote the hash of a loader into a tag.
 */
import { createHash, randomUUID } from 'node:crypto';
import { cp, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';

/** The widget is a package beside this one. */
const builtFolder = fileURLToPath(
  new URL('dist/', import.meta.resolve('@docent/widget/package.json')),
);

export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];
const endings: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

export interface WidgetBuild {
  /** Of the loaders' hash: their own addresses for ever are `docent-<id>.js` and `docent-<id>.mjs`. */
  id: string;
  /** Each file by its name, with what belongs into an `integrity` attribute. */
  files: ReadonlyMap<string, string>;
  /** Where the file is. */
  pathOf(name: string): string;
  /** The file that the widget's entry of this name is in: `panel`. */
  entry(name: string): string | undefined;
}

export interface WidgetBuilds {
  /** `undefined` where nothing is built. */
  current(): Promise<WidgetBuild | undefined>;
  /** The loader of a build, today's or an earlier one: `docent.js`, or the module, `docent.mjs`. */
  loader(id: string, name: string): Promise<string | undefined>;
  /** A file beside the loader, of today's build or an earlier one. */
  file(name: string): Promise<string | undefined>;
  /** Keeps today's build for the time after the next upgrade. */
  keep(): Promise<void>;
}

export interface WidgetBuildsOptions {
  /** Where builds are kept; without it none is. */
  keptFolder?: string | undefined;
  log?: Pick<Logger, 'warn'>;
  folder?: string;
  /** A build takes some 700 kB. */
  mostKept?: number;
}

/** In the data folder; without one there is nowhere to keep them. */
export const keptBuildsFolder = (dataFolder: string): string | undefined =>
  dataFolder === ':memory:' ? undefined : join(dataFolder, 'widget');

export function createWidgetBuilds({
  keptFolder,
  log,
  folder = builtFolder,
  mostKept = 20,
}: WidgetBuildsOptions = {}): WidgetBuilds {
  let known: { changed: number; build: Promise<WidgetBuild> } | undefined;
  let kept: Promise<Kept> | undefined;
  const keptBuilds = () => (kept ??= readKept(keptFolder));

  async function current(): Promise<WidgetBuild | undefined> {
    const loader = await stat(join(folder, 'docent.js')).catch(() => undefined);
    if (!loader) return undefined;
    // Built anew while we run: that happens where the widget is worked on.
    if (known?.changed !== loader.mtimeMs) {
      known = { changed: loader.mtimeMs, build: readBuild(folder) };
    }
    return known.build;
  }

  async function keepIn(place: string, build: WidgetBuild): Promise<void> {
    await removeUnfinished(place);
    if ((await keptBuilds()).loaders.has(`${build.id}/docent.js`)) return;
    // Process ids tell nobody apart: in containers each has the same.
    const written = join(place, `${build.id}.${randomUUID()}.new`);
    await mkdir(place, { recursive: true });
    try {
      await cp(folder, written, { recursive: true });
      // Another process of the same folder may have been faster.
      await rename(written, join(place, build.id)).catch(() => undefined);
    } finally {
      await rm(written, { recursive: true, force: true });
    }
    const folders = await foldersIn(place);
    await Promise.all(
      folders.slice(mostKept).map((old) => rm(join(place, old), { recursive: true, force: true })),
    );
    kept = undefined;
  }

  const keeping = new Map<string, Promise<void>>();
  return {
    current,
    async loader(id, name) {
      const build = await current();
      if (build?.id === id) return build.files.has(name) ? build.pathOf(name) : undefined;
      return (await keptBuilds()).loaders.get(`${id}/${name}`);
    },
    async file(name) {
      const build = await current();
      const isOurs = !loaderNames.includes(name) && build?.files.has(name);
      return isOurs ? build?.pathOf(name) : (await keptBuilds()).files.get(name);
    },
    async keep() {
      const build = await current();
      if (!build || keptFolder === undefined) return;
      const work =
        keeping.get(build.id) ??
        keepIn(keptFolder, build).catch((err: unknown) => {
          log?.warn({ err }, 'the widget’s files cannot be kept for pages that stand open');
        });
      keeping.set(build.id, work);
      await work;
    },
  };
}

interface Kept {
  /** By the build's id and the file's name. */
  loaders: Map<string, string>;
  files: Map<string, string>;
}

async function readKept(keptFolder: string | undefined): Promise<Kept> {
  const loaders = new Map<string, string>();
  const files = new Map<string, string>();
  // From the oldest: where two builds have a file of one name, the newer one's counts.
  for (const id of keptFolder ? (await foldersIn(keptFolder)).toReversed() : []) {
    const folder = join(keptFolder ?? '', id);
    for (const name of await loadersIn(folder)) loaders.set(`${id}/${name}`, join(folder, name));
    for (const name of await scriptsIn(join(folder, 'widget'))) {
      files.set(name, join(folder, 'widget', name));
    }
  }
  return { loaders, files };
}

/** Writing takes a moment; whoever began one so long ago died over it. */
const unfinishedMs = 3_600_000;

/** Those of a process that lives are younger: another one may be writing its own just now. */
async function removeUnfinished(place: string): Promise<void> {
  const names = await readdir(place).catch(() => []);
  for (const name of names.filter((each) => /^[0-9a-f]{16}\.[\w-]+\.new$/.test(each))) {
    const found = await stat(join(place, name)).catch(() => undefined);
    if (!found || Date.now() - found.mtimeMs < unfinishedMs) continue;
    await rm(join(place, name), { recursive: true, force: true });
  }
}

/** Newest first, by the time of their upgrade; not those that somebody is writing. */
async function foldersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const builds = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{16}$/.test(name))
      .map(async (name) => ({ name, time: (await stat(join(folder, name))).mtimeMs })),
  );
  return builds.toSorted((one, other) => other.time - one.time).map(({ name }) => name);
}

/** Earlier builds have the first one only. */
const loaderNames = ['docent.js', 'docent.mjs'];
const loadersIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => loaderNames.includes(name));

const scriptsIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.js'));

async function readBuild(folder: string): Promise<WidgetBuild> {
  const names = await scriptsIn(join(folder, 'widget'));
  const loaders = await loadersIn(folder);
  const pathOf = (name: string) => join(folder, loaders.includes(name) ? '' : 'widget', name);
  const hash = async (name: string) => createHash('sha256').update(await readFile(pathOf(name)));
  const files = await Promise.all(
    [...loaders, ...names].map(
      async (name) => [name, `sha256-${(await hash(name)).digest('base64')}`] as const,
    ),
  );
  // Of all that is to stay the same under this id.
  const whole = await hash('docent.js');
  if (loaders.includes('docent.mjs')) whole.update(await readFile(pathOf('docent.mjs')));
  return {
    id: whole.digest('hex').slice(0, 16),
    files: new Map(files),
    pathOf,
    entry: (wanted) => names.find((name) => name.replace(/-[\w-]{10}\.js$/, '') === wanted),
  };
}

/** The file, smaller where the build brought it so. */
export async function readEncoded(
  path: string,
  accepted: readonly Encoding[],
): Promise<{ body: Buffer; encoding?: Encoding }> {
  for (const encoding of accepted) {
    const body = await readFile(path + endings[encoding]).catch(() => undefined);
    if (body) return { body, encoding };
  }
  return { body: await readFile(path) };
}
