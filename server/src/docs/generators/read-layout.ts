/** Finds the settings of a site in the folder of the pages or above it, and reads its layout from them. */
import { posix } from 'node:path';
import { basePathOf, type Generator, type Layout, type PathStyle, plainLayout } from './layout.ts';
import { joinFile } from './paths.ts';
import { readers, rootAndMounts } from './settings.ts';

/** Paths start at the same folder as `folder`: the root of the repository or of the file system. */
export interface ReadLayoutInput {
  folder: string;
  read: (path: string) => Promise<string | undefined>;
  /** The owner names the generator: no other is looked for, but its settings are still read. */
  generator?: Generator | undefined;
  /** Folders below, where to look if nothing else is found. Only a single site is taken. */
  below?: readonly string[] | undefined;
}

const scripts = ['ts', 'mts', 'js', 'mjs', 'cjs', 'cts'];
const named = (name: string, ...endings: string[]) => endings.map((ending) => `${name}.${ending}`);

const configFiles: readonly { generator: Exclude<Generator, 'plain'>; files: readonly string[] }[] =
  [
    { generator: 'docusaurus', files: named('docusaurus.config', ...scripts) },
    {
      generator: 'vitepress',
      files: [
        ...named('.vitepress/config', ...scripts, 'json'),
        ...named('.vitepress/config/index', ...scripts),
      ],
    },
    { generator: 'mkdocs', files: ['mkdocs.yml', 'mkdocs.yaml'] },
    { generator: 'mintlify', files: ['docs.json', 'mint.json'] },
    { generator: 'starlight', files: named('astro.config', ...scripts) },
    { generator: 'nextra', files: named('next.config', ...scripts) },
    { generator: 'docsify', files: ['index.html'] },
  ];

/** Settings further above belong to something else. */
const maxLevelsAbove = 5;

export async function readLayout(input: ReadLayoutInput): Promise<Layout> {
  const { folder, generator } = input;
  if (generator === 'plain') return plainLayout(folder);
  const parts = folder.split('/').filter(Boolean);
  for (let up = 0; up <= Math.min(maxLevelsAbove, parts.length); up += 1) {
    const found = await readSettings(parts.slice(0, parts.length - up).join('/'), input);
    if (found) return found;
  }
  const below = await Promise.all((input.below ?? []).map((one) => readSettings(one, input)));
  const [site, ...others] = below.filter((one) => one !== undefined);
  if (site && others.length === 0) return site;
  return generator === undefined ? plainLayout(folder) : withoutSettings(generator, input);
}

async function readSettings(
  siteFolder: string,
  { folder, read, generator: wanted }: ReadLayoutInput,
): Promise<Layout | undefined> {
  for (const { generator, files } of configFiles) {
    if (wanted !== undefined && wanted !== generator) continue;
    for (const file of files) {
      const config = joinFile(siteFolder, file);
      const text = await read(config);
      const found = text && (await readers[generator]({ text, siteFolder, folder, read }));
      if (!found) continue;
      const { pages, ...settings } = found;
      const place = rootAndMounts(pages, folder);
      if (place)
        return { ...plainLayout(siteFolder), generator, config, siteFolder, ...settings, ...place };
    }
  }
  return undefined;
}

/** The owner names a generator that has no settings here: its usual rules apply to the folder. */
async function withoutSettings(
  generator: Exclude<Generator, 'plain'>,
  { folder }: ReadLayoutInput,
): Promise<Layout> {
  const read = () => Promise.resolve(undefined);
  const found = await readers[generator]({ text: '', siteFolder: folder, folder, read });
  const { pages, ...settings } = found ?? { pages: [] };
  const at = pages[0]?.at ?? '/';
  return {
    ...plainLayout(folder),
    generator,
    ...settings,
    root: folder,
    mounts: [{ folder, at }],
  };
}

/** A sentence for the owner about what was found. */
export function describeLayout(
  layout: Layout,
  folder: string,
  pathStyle: PathStyle = layout.pathStyle,
): string {
  const { generator, config, root } = layout;
  const basePath = basePathOf(layout);
  const example = {
    clean: '/guide/install',
    kept: '/guide/install',
    slash: '/guide/install/',
    html: '/guide/install.html',
    hash: '/#/guide/install',
  }[pathStyle];
  const from = root === folder ? '' : `, pages in ${posix.relative(folder, root)}`;
  const by = config === undefined ? '' : ` (${posix.relative(folder, config)})`;
  return `${names[generator]}${by}${from}: addresses such as ${basePath === '/' || pathStyle === 'hash' ? '' : basePath}${example}`;
}

const names: Record<Generator, string> = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  starlight: 'Starlight',
  mkdocs: 'MkDocs',
  nextra: 'Nextra',
  docsify: 'docsify',
  mintlify: 'Mintlify',
  plain: 'No known generator',
};
