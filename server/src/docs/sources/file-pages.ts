/** Markdown and MDX files of a folder or repository as pages of a site. */
import type { Generator } from '../../platform/config/docs-config.ts';
import { posix } from 'node:path';
import { sha256 } from '../../platform/hash.ts';
import {
  describeLayout,
  type Layout,
  type PathStyle,
  readLayout,
  withOwnerSettings,
} from '../generators/layout.ts';
import { createLanguages } from '../generators/languages.ts';
import { insideOf, joinFile } from '../generators/paths.ts';
import { createIncludes, type IncludedFile } from '../includes/include-files.ts';
import { appLocation, isPage, spellPath } from '../generators/page-location.ts';
import { createSitePages, type SitePages } from '../generators/site-pages.ts';
import { pageFields } from '../markdown/frontmatter.ts';
import { frontmatterOf } from '../parsing/parse.ts';
import { hashPage } from '../pages/page-hash.ts';
import {
  type Globs,
  isWanted,
  readMarkdown,
  type SourcePage,
  type SourceRun,
} from './page-source.ts';
import { languagesOf } from '../../retrieval/languages.ts';
import { DocentError } from '../../platform/errors.ts';
import { nameSome } from '../../platform/text.ts';
import { createPauses } from '../../platform/pauses.ts';

/** Larger files are data or generated lists, not pages for readers. */
export const maxBytes = 2 * 1024 * 1024;

export interface FileSettings extends Globs {
  folder: string;
  /** Where the pages start on the site. By default, the generator's settings decide. */
  basePath?: string | undefined;
  /** How the site writes paths. It replaces the generator's own way. */
  pathStyle?: PathStyle | undefined;
  generator?: Generator | undefined;
  baseUrl?: string | undefined;
  /** The language of all pages. By default, the names of folders and the generator's settings tell. */
  language?: string | undefined;
}

/** Files on disk or in a commit. */
export interface Files {
  /** Paths of the pages below `folder`, with `/`, in a fixed order. */
  names: readonly string[];
  /** Files of documentation that nobody reads here: reStructuredText. */
  unread: readonly string[];
  /** The folder of the pages, from the root of the file system or of the repository. */
  folder: string;
  read: (name: string) => Promise<Buffer>;
  modified: (name: string) => Promise<string | undefined>;
  /** Reads a file by its path from the root, if there is one. */
  readSettings: (path: string) => Promise<string | undefined>;
  /** Reads what pages include, by paths from the root. `root` is the folder that no file may be outside of. */
  readIncluded: (
    paths: readonly string[],
    root: string,
  ) => Promise<ReadonlyMap<string, IncludedFile>>;
  repository: string | undefined;
  from: string;
}

interface SourceFile {
  /** Below the folder of the pages. */
  file: string;
  siteFile: string;
  path: string;
  /** The address on the site, if it is not the path in the configured style. */
  url?: string;
  markdown: string;
  from: string;
}

export async function filePages(
  files: Files,
  settings: FileSettings,
  run: Pick<SourceRun, 'parse' | 'signal' | 'onWarning' | 'onNote'>,
): Promise<SourcePage[]> {
  const { folder } = files;
  const { generator, pathStyle } = settings;
  const found = await readLayout({ folder, generator, read: files.readSettings });
  const layout = withOwnerSettings(found, settings);
  const isOurs = pagesOf(layout);
  const titles = new Map(layout.chapters);
  const names = files.names.filter((from) => isOurs(joinFile(folder, from)));
  const known = new Set(names.map((from) => joinFile(folder, from)));
  const site = createSitePages(layout, [...known], (path) => known.has(path));
  const usual = new Map([...known].map((file) => [file, site.pathOf(file)]));
  const pages = await readFiles(names, site, files, pathStyle, run);
  if (pages.length === 0) {
    throw new DocentError(
      'bad_request',
      `There is no page for readers in ${files.from}.${files.unread.length > 0 ? ` ${notSupported(files.unread)}` : ''}`,
    );
  }
  if (files.unread.length > 0) run.onWarning(notSupported(files.unread));
  if (layout.generator !== 'plain') run.onNote?.(describeLayout(layout, folder, pathStyle));
  const moved = pages.filter(({ siteFile, path }) => path !== usual.get(siteFile));
  // A page that moves changes the links of others, so all pages are read again.
  const facts = [
    layout.generator,
    layout.anchors,
    layout.base,
    site.layout.shift,
    layout.mounts[0]?.at,
    moved.map(({ file, path }) => [file, path]),
  ];
  noteBuilders(layout, pages, run);
  const languageOf = createLanguages(layout, [...known]);
  const language = (file: string) =>
    settings.language === undefined ? languageOf(file) : undefined;
  noteLanguages(
    pages.map(({ siteFile }) => language(siteFile)),
    run,
  );
  const salt = sha256(JSON.stringify(facts));
  const shared = site.facts();
  const includes = await openIncludes(pages, layout, files, settings, run);
  const pause = createPauses();
  const read: SourcePage[] = [];
  for (const { from, url, siteFile, ...one } of pages) {
    await pause();
    const titled = { ...one, title: titles.get(siteFile) };
    read.push({
      path: one.path,
      hash: hashPage(
        titled,
        [salt, url, includes.digests.get(siteFile), language(siteFile)].filter(Boolean).join(' '),
      ),
      from,
      async read() {
        const included = await includes.expand(siteFile, one.markdown);
        const page = await readMarkdown({ ...titled, siteFile, included }, run, shared);
        const modified = page.modified ?? (await files.modified(from));
        const own = page.language ?? language(siteFile);
        return {
          ...page,
          ...(own !== undefined && { language: own }),
          ...(url !== undefined && { url }),
          ...(modified !== undefined && { modified }),
        };
      },
    });
  }
  return read;
}

/** `::: acme.Client` of mkdocstrings, and `{{ … }}` and `{% … %}` of macros. */
const filled: Readonly<Record<string, RegExp>> = {
  mkdocstrings: /^::: [\w.]+/m,
  macros: /\{\{[^{}\n]+\}\}|^\{%/m,
};

/** What only the build knows. */
function noteBuilders(
  { builders = [] }: Layout,
  pages: readonly SourceFile[],
  { onNote }: Pick<SourceRun, 'onNote'>,
): void {
  for (const name of builders) {
    const own = pages
      .filter(({ markdown }) => filled[name]?.test(markdown))
      .map(({ from }) => from);
    if (name in filled && own.length === 0) continue;
    const what = name in filled ? `fills ${nameSome(own, 3)}` : 'makes pages';
    onNote?.(
      `The build ${what} with ${name}, which the sources don't show. To answer from that too, build the site, and index the built HTML: add { type: 'html', folder: '<the build>' } to the sources.`,
    );
  }
}

function noteLanguages(
  languages: readonly (string | undefined)[],
  { onNote }: Pick<SourceRun, 'onNote'>,
): void {
  const found = languagesOf(languages.map((language) => ({ language })));
  if (found.length < 2) return;
  const count = (language: string) => languages.filter((one) => one === language).length;
  onNote?.(`Languages: ${found.map((one) => `${one} (${count(one)})`).join(', ')}`);
}

async function openIncludes(
  pages: readonly SourceFile[],
  layout: Layout,
  { folder, readIncluded, repository }: Files,
  { exclude }: Globs,
  {
    parse,
    signal,
    onWarning,
    onNote,
  }: Pick<SourceRun, 'parse' | 'signal' | 'onWarning' | 'onNote'>,
) {
  const root = repository ?? layout.siteFolder;
  const includes = createIncludes({
    site: { layout, root },
    run: parse,
    load: (paths) => readIncluded(paths, root),
    isExcluded(path) {
      const inside = insideOf(path, folder);
      return inside !== undefined && !isWanted(inside, { exclude });
    },
  });
  await includes.prepare(
    pages.map(({ siteFile, markdown }) => ({ file: siteFile, text: markdown })),
    signal,
  );
  const count = { found: 0, resolved: 0 };
  const digests = new Map<string, string>();
  /** Where each of them is. A component of a whole site is one problem. */
  const leftOut = new Map<string, string[]>();
  for (const { siteFile: file, markdown: text } of pages) {
    signal?.throwIfAborted();
    // oxlint-disable-next-line no-await-in-loop -- one page after the other, in one worker
    const { lines, problems, ...one } = await includes.expand({ file, text }, signal);
    if (lines) digests.set(file, sha256(one.text));
    count.found += one.found;
    count.resolved += one.resolved;
    for (const { file: from, line, written, reason } of problems) {
      const what = `"${written}" was left out: ${reason}.`;
      const place = `${posix.relative(folder, from)}:${line}`;
      const places = leftOut.get(what);
      if (places) places.push(place);
      else leftOut.set(what, [place]);
    }
  }
  for (const [what, places] of leftOut) onWarning(`${nameSome(places, 3)}: ${what}`);
  if (count.found > 0) onNote?.(`Includes: ${count.found} found, ${count.resolved} resolved`);
  return {
    digests,
    /** `undefined`: the page includes nothing, so that nobody keeps a copy of its text. */
    async expand(file: string, text: string) {
      if (!digests.has(file)) return undefined;
      const { lines, ...expanded } = await includes.expand({ file, text }, signal);
      return lines && { ...expanded, lines };
    },
  };
}

export const isReStructuredText = (path: string): boolean => /\.rst$/i.test(path);

function notSupported(paths: readonly string[]): string {
  return `reStructuredText is not supported: ${nameSome(paths, 3)}. To answer from these pages, add the published site as a source of the type "sitemap".`;
}

function pagesOf({ root, generator, mounts: [own], chapters }: Layout): (file: string) => boolean {
  const known = chapters && new Map(chapters);
  return (file) => {
    const inside = insideOf(file, root);
    if (inside === undefined || !isPage(inside, generator) || known?.has(file) === false)
      return false;
    if (own?.globs && !isWanted(insideOf(file, own.folder) ?? file, own.globs)) return false;
    return !own?.isApp || appLocation(insideOf(file, own.folder) ?? file, '/') !== undefined;
  };
}

function isReadme(file: string): boolean {
  return /(^|\/)readme\.\w+$/i.test(file);
}

/** Sources of all pages for readers, each path once. */
async function readFiles(
  names: readonly string[],
  site: SitePages,
  { folder, read }: Files,
  pathStyle: PathStyle | undefined,
  { parse, signal, onWarning }: Pick<SourceRun, 'parse' | 'signal' | 'onWarning'>,
): Promise<SourceFile[]> {
  const { layout } = site;
  const byPath = new Map<string, SourceFile>();
  const pause = createPauses();
  // Where a folder has both, its index is the page, and the README is for the repository.
  for (const from of [...names.filter((name) => !isReadme(name)), ...names.filter(isReadme)]) {
    await pause();
    signal?.throwIfAborted();
    const bytes = await read(from);
    const markdown = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (markdown.includes('\uFFFD') && !bytes.includes('\uFFFD')) {
      onWarning(`${from}: not valid UTF-8. Unreadable characters are shown as \uFFFD.`);
    }
    const frontmatter = await frontmatterOf(markdown, parse);
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
    byPath.set(path, { file, siteFile, path, markdown, from, ...(!isUsual && { url }) });
  }
  return [...byPath.values()];
}
