/** Markdown and MDX files of a folder or repository as pages of a site. */
import { createHash } from 'node:crypto';
import type { Layout, PathStyle } from '../generators/layout.ts';
import { insideOf, joinFile } from '../generators/paths.ts';
import { isPage, spellPath } from '../generators/page-location.ts';
import { createSitePages, type SitePages } from '../generators/site-pages.ts';
import { pageFields, readFrontmatter } from '../markdown/frontmatter.ts';
import { hashPage, readPage } from '../pages/read-page.ts';
import type { SourcePage } from './source.ts';

export interface FilePagesOptions {
  /** Paths below `folder`, with `/`, in a fixed order. */
  files: readonly string[];
  /** Where the files are, in the paths of the layout. */
  folder: string;
  read: (file: string) => Promise<Buffer>;
  layout: Layout;
  /** How the owner's configuration writes paths. It replaces the generator's own way. */
  pathStyle?: PathStyle | undefined;
  signal?: AbortSignal | undefined;
  onWarning: (warning: string) => void;
}

interface SourceFile {
  /** Below the folder of the pages. */
  file: string;
  siteFile: string;
  path: string;
  /** The address on the site, if it is not the path in the configured style. */
  url?: string;
  source: string;
  from: string;
}

export async function filePages(options: FilePagesOptions): Promise<SourcePage[]> {
  const { layout, folder, onWarning } = options;
  const names = options.files.filter((from) => isPageOf(joinFile(folder, from), layout));
  const known = new Set(names.map((from) => joinFile(folder, from)));
  const site = createSitePages(layout, [...known], (path) => known.has(path));
  const usual = new Map([...known].map((file) => [file, site.pathOf(file)]));
  const files = await readFiles(names, site, options);
  const moved = files.filter(({ siteFile, path }) => path !== usual.get(siteFile));
  // A page that moves changes the links of others, so all pages are read again.
  const facts = [
    layout.generator,
    layout.anchors,
    layout.base,
    site.layout.shift,
    layout.mounts[0]?.at,
    moved.map(({ file, path }) => [file, path]),
  ];
  return files.map(({ from, url, siteFile, ...one }) => {
    const salt = createHash('sha256')
      .update(JSON.stringify([...facts, url]))
      .digest('hex');
    return {
      path: one.path,
      hash: hashPage(one, salt),
      from,
      read: () => ({
        ...readPage({ ...one, site, siteFile, onWarning }),
        ...(url !== undefined && { url }),
      }),
    };
  });
}

function isPageOf(file: string, { root, generator }: Layout): boolean {
  const inside = insideOf(file, root);
  return inside !== undefined && isPage(inside, generator);
}

function isReadme(file: string): boolean {
  return /(^|\/)readme\.\w+$/i.test(file);
}

/** Sources of all pages for readers, each path once. */
async function readFiles(
  names: readonly string[],
  site: SitePages,
  { folder, read, layout, pathStyle, signal, onWarning }: FilePagesOptions,
): Promise<SourceFile[]> {
  const byPath = new Map<string, SourceFile>();
  // Where a folder has both, its index is the page, and the README is for the repository.
  for (const from of [...names.filter((name) => !isReadme(name)), ...names.filter(isReadme)]) {
    signal?.throwIfAborted();
    const bytes = await read(from);
    const source = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (source.includes('\uFFFD') && !bytes.includes('\uFFFD')) {
      onWarning(`${from}: not valid UTF-8. Unreadable characters are shown as \uFFFD.`);
    }
    const frontmatter = readFrontmatter(source);
    const front = pageFields(frontmatter);
    if (front.isHidden) continue;
    if (frontmatter.mayBeHidden) {
      onWarning(
        `${from}: skipped, because its frontmatter is not valid YAML and may restrict who can see it: ${frontmatter.problem?.reason}`,
      );
      continue;
    }
    const siteFile = joinFile(folder, from);
    site.setFront(siteFile, front);
    const path = site.pathOf(siteFile);
    const first = byPath.get(path);
    if (first) {
      onWarning(`${from}: skipped, because ${first.from} has the same path ${path}.`);
      continue;
    }
    const isIndex = site.locationOf(siteFile)?.isIndex ?? false;
    const url = spellPath({ path, isIndex }, pathStyle ?? layout.pathStyle);
    const isUsual = url === spellPath({ path, isIndex: false }, pathStyle ?? 'clean');
    const file = insideOf(siteFile, layout.root) ?? from;
    byPath.set(path, { file, siteFile, path, source, from, ...(!isUsual && { url }) });
  }
  return [...byPath.values()];
}
