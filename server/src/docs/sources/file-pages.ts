/** Markdown and MDX files, wherever they lie, as pages of a site. */
import { createHash } from 'node:crypto';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import {
  createPlaces,
  isPage,
  type Layout,
  type PathStyle,
  spellPath,
} from '../generators/layout.ts';
import { hashPage, readPage } from '../pages/read-page.ts';
import type { SourcePage } from './source.ts';

export interface FilePagesOptions {
  /** Paths below the docs folder, with `/`, in a fixed order. */
  files: readonly string[];
  read: (file: string) => Promise<Buffer>;
  layout: Layout;
  /** How the configuration says that paths are spelled; it goes before the generator's own way. */
  pathStyle?: PathStyle | undefined;
  signal?: AbortSignal | undefined;
  onWarning: (warning: string) => void;
}

interface SourceFile {
  /** Below the folder of the pages. */
  file: string;
  path: string;
  /** Where it is opened on the site, where that is not the path as the configuration spells it. */
  url?: string;
  source: string;
  from: string;
}

export async function filePages(options: FilePagesOptions): Promise<SourcePage[]> {
  const { layout, onWarning } = options;
  const { basePath, anchors } = layout;
  const files = await readFiles(options);
  const places = createPlaces(
    layout,
    files.map(({ file }) => file),
  );
  const usual = (file: string) => places(file).path;
  const moved = new Map(
    files.filter(({ file, path }) => path !== usual(file)).map(({ file, path }) => [file, path]),
  );
  // A page that moves changes the links of others, so all are read again; sites that have none pay nothing.
  const facts = [
    ...(moved.size === 0 ? [] : [JSON.stringify([...moved])]),
    ...(layout.generator === 'plain' ? [] : [layout.generator, anchors]),
  ];
  const pathOf = (file: string) => moved.get(file) ?? usual(file);
  return files.map(({ from, url, ...one }) => {
    const ofPage = url === undefined ? facts : [...facts, url];
    const salt =
      ofPage.length === 0 ? '' : createHash('sha256').update(ofPage.join('\n')).digest('hex');
    return {
      path: one.path,
      hash: hashPage({ ...one, basePath }, salt),
      from,
      read: () => ({
        ...readPage({ ...one, basePath, pathOf, anchors, onWarning }),
        ...(url !== undefined && { url }),
      }),
    };
  });
}

function isReadme(file: string): boolean {
  return /(^|\/)readme\.\w+$/i.test(file);
}

/** Sources of all pages for readers, each path once. */
async function readFiles(options: FilePagesOptions): Promise<SourceFile[]> {
  const { read, layout, pathStyle, signal, onWarning } = options;
  const root = layout.root === '' ? '' : `${layout.root}/`;
  const files = options.files
    .filter((from) => from.startsWith(root))
    .map((from) => from.slice(root.length))
    .filter((file) => isPage(file, layout));
  const placeOf = createPlaces(layout, files);
  const byPath = new Map<string, SourceFile>();
  // Where a folder has both, its index is the page and the README is for the repository.
  for (const file of [...files.filter((name) => !isReadme(name)), ...files.filter(isReadme)]) {
    signal?.throwIfAborted();
    const from = root + file;
    const bytes = await read(from);
    const source = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (source.includes('\uFFFD') && !bytes.includes('\uFFFD')) {
      onWarning(`${from}: not valid UTF-8; what could not be read is shown as \uFFFD.`);
    }
    const front = readFrontmatter(source);
    if (front.isHidden) continue;
    if (front.mayBeHidden) {
      onWarning(
        `${from}: skipped, because its frontmatter is not YAML and may say who must not see it: ${front.problem}`,
      );
      continue;
    }
    const place = placeOf(file, front);
    const { path } = place;
    const first = byPath.get(path);
    if (first) {
      onWarning(`${from}: skipped, because ${first.from} has the same path ${path}.`);
      continue;
    }
    const url = spellPath(place, pathStyle ?? layout.pathStyle);
    const isUsual = url === spellPath({ path, isIndex: false }, pathStyle ?? 'clean');
    byPath.set(path, { file, path, source, from, ...(!isUsual && { url }) });
  }
  return [...byPath.values()];
}
