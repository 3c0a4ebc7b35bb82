/** The widget's built files, with their hashes. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../hash.ts';

/** In a checkout a package beside this one, in the published package a folder: `package.json` says which. */
const builtFolder = fileURLToPath(new URL('.', import.meta.resolve('#widget/docent.js')));

export const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];
const endings: Record<Encoding, string> = { br: '.br', gzip: '.gz' };

export interface WidgetBuild {
  /** Derived from the loaders. Their permanent addresses are `docent-<id>.js` and `docent-<id>.mjs`. */
  id: string;
  /** Each file by its name, with its value for an `integrity` attribute. */
  files: ReadonlyMap<string, string>;
  /** Where the file is. */
  pathOf(name: string): string;
  /** The file that the widget's entry of this name is in: `panel`. */
  entry(name: string): string | undefined;
}

/** `undefined` where nothing is built. */
export type ReadWidgetBuild = () => Promise<WidgetBuild | undefined>;

export const loaderNames: readonly string[] = ['docent.js', 'docent.mjs'];

/** Reads the build once, and again after the widget is rebuilt: that happens during development. */
export function createWidgetBuild(folder = builtFolder): ReadWidgetBuild {
  let known: { changed: number; build: Promise<WidgetBuild> } | undefined;
  return async () => {
    const loader = await stat(join(folder, 'docent.js')).catch(() => undefined);
    if (!loader) return undefined;
    if (known?.changed !== loader.mtimeMs) {
      known = { changed: loader.mtimeMs, build: readBuild(folder) };
    }
    return known.build;
  };
}

async function readBuild(folder: string): Promise<WidgetBuild> {
  const scripts = (await readdir(join(folder, 'widget'))).filter((name) => name.endsWith('.js'));
  const pathOf = (name: string) => join(folder, loaderNames.includes(name) ? '' : 'widget', name);
  const files = await Promise.all(
    [...loaderNames, ...scripts].map(
      async (name) => [name, `sha256-${sha256(await readFile(pathOf(name)), 'base64')}`] as const,
    ),
  );
  const loaders = await Promise.all(loaderNames.map((name) => readFile(pathOf(name))));
  return {
    id: sha256(loaders).slice(0, 16),
    files: new Map(files),
    pathOf,
    entry: (wanted) => scripts.find((name) => name.replace(/-[\w-]{10}\.js$/, '') === wanted),
  };
}

/** Reads the file, compressed if the build has a compressed version. */
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
