/**
 * Recognises the generator of a site by its own settings, in the folder of the pages or above it, and
 * reads from them what decides about addresses. Settings are read as text and never run.
 */
import { posix } from 'node:path';
import { type Generator, type Layout, plainLayout } from './layout.ts';
import { readers } from './generators.ts';

/** Files around the pages. */
export interface Nearby {
  /** The folders that lead to the pages, outermost first; only as many are climbed. */
  above: readonly string[];
  /** A file's text, its path seen from the folder of the pages: `../mkdocs.yml`. */
  read(path: string): Promise<string | undefined>;
}

const scripts = ['ts', 'mts', 'js', 'mjs', 'cjs', 'cts'];
const named = (name: string, ...endings: string[]) => endings.map((ending) => `${name}.${ending}`);

const configFiles: readonly { generator: Generator; files: readonly string[] }[] = [
  { generator: 'docusaurus', files: named('docusaurus.config', ...scripts) },
  {
    generator: 'vitepress',
    files: [
      ...named('.vitepress/config', ...scripts, 'json'),
      ...named('.vitepress/config/index', ...scripts),
    ],
  },
  { generator: 'mkdocs', files: ['mkdocs.yml', 'mkdocs.yaml'] },
  { generator: 'starlight', files: named('astro.config', ...scripts) },
  { generator: 'nextra', files: named('next.config', ...scripts) },
  { generator: 'docsify', files: ['index.html'] },
];

/** Settings further up belong to something else. */
const highest = 5;

/** A generator that the owner names is not looked for; its settings still are. */
export async function readLayout(nearby: Nearby, wanted?: Generator): Promise<Layout> {
  if (wanted === 'plain') return plainLayout;
  for (let up = 0; up <= Math.min(highest, nearby.above.length); up += 1) {
    const siteFolder = '../'.repeat(up);
    const below = nearby.above.slice(nearby.above.length - up).join('/');
    for (const { generator, files } of configFiles) {
      if (wanted !== undefined && wanted !== generator) continue;
      for (const file of files) {
        const config = siteFolder + file;
        const text = await nearby.read(config);
        if (text === undefined) continue;
        const read = (path: string) => nearby.read(siteFolder + path);
        const layout = await readers[generator]({ text, below, read });
        if (layout) return { ...plainLayout, generator, config, ...layout };
      }
    }
  }
  if (wanted === undefined) return plainLayout;
  const layout = await readers[wanted]({
    text: '',
    below: '',
    read: () => Promise.resolve(undefined),
  });
  return { ...plainLayout, generator: wanted, ...layout, root: '' };
}

/** What a person is told of it. */
export function describeLayout(layout: Layout, pathStyle = layout.pathStyle): string {
  const { generator, config, root, basePath } = layout;
  const example = {
    clean: '/guide/install',
    kept: '/guide/install',
    slash: '/guide/install/',
    html: '/guide/install.html',
    hash: '/#/guide/install',
  }[pathStyle];
  const from = root ? `, pages in ${root}` : '';
  const by = config === undefined ? '' : ` (${posix.normalize(config)})`;
  return `${names[generator]}${by}${from}: addresses such as ${basePath === '/' || pathStyle === 'hash' ? '' : basePath}${example}`;
}

const names: Record<Generator, string> = {
  docusaurus: 'Docusaurus',
  vitepress: 'VitePress',
  starlight: 'Starlight',
  mkdocs: 'MkDocs',
  nextra: 'Nextra',
  docsify: 'docsify',
  plain: 'No known generator',
};
