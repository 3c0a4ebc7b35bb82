/** Which files of the repository the pages of a build are made from, as far as the build or the owner says it. */
import { dirname, join, parse, posix, relative, resolve, sep } from 'node:path';
import { decodePercent, insideOf, isIn, joinFile } from '../generators/paths.ts';
import { findRepository, walkFolder } from './folder-source.ts';

/** Texts that generators make pages of. Templates and programs aren't for the agent. */
const textEnding = /\.(mdx?|markdown|rst|txt|adoc|asciidoc|ipynb)$/i;

export interface BuiltFrom {
  /** The folder that the site is built from, and its files by their paths below it. */
  folder: string;
  files: readonly string[];
  /**
   * The file of a page, by its path in the repository. `page` is the path of the HTML file, and `links` are those of
   * the page. `undefined`: nothing says it, or the repository doesn't have that file.
   */
  fileOf: (page: string, links: readonly string[]) => string | undefined;
}

/** `build` is the folder of the build, and `sources` what the owner says about it. */
export async function openBuiltFrom(build: string, sources = folderOf(build)): Promise<BuiltFrom> {
  const { root } = parse(resolve(sources));
  const found = await findRepository(resolve(sources), root);
  const home = found === undefined ? resolve(sources) : join(root, found);
  const inHome = (path: string) => joinFile(relative(home, resolve(path)).replaceAll(sep, '/'));
  const list = (folder: string, ending: RegExp) =>
    walkFolder({ folder, ending, onWarning: () => {} }).catch((): string[] => []);
  const all = (await list(home, textEnding)).filter((path) => !isIn(path, inHome(build)));
  const start = inHome(sources);
  const files = all.flatMap((path) => insideOf(path, start) ?? []);
  if (found === undefined) return { folder: sources, files, fileOf: () => undefined };

  const known = new Set(all);
  // Where a folder has both, its index is the page, and the README is for the repository.
  const byPage = new Map(
    files
      .toSorted((one, other) => Number(isReadme(other)) - Number(isReadme(one)))
      .map((file) => [pageOf(file), joinFile(start, file)]),
  );
  // Sphinx keeps a copy of each source beside its pages. Only one file may be the original.
  const copies = (await list(join(build, '_sources'), /./)).flatMap((name) => {
    const copy = name.replace(/(\.\w+)\.txt$/, '$1');
    const own = joinFile(start, copy);
    const found = known.has(own) ? [own] : all.filter((path) => path.endsWith(`/${copy}`));
    return found.length === 1 ? found.map((path) => [pageOf(copy), path] as const) : [];
  });
  const originals = new Map(copies);

  return {
    folder: sources,
    files,
    fileOf(from, links) {
      const page = pageOf(from);
      const named = links.flatMap((link) => namedFile(link, known) ?? []);
      return (
        named.find(({ isEdit }) => isEdit)?.path ??
        originals.get(page) ??
        byPage.get(page) ??
        // Links that only show a file may lead to others, too.
        named.find(({ path }) => isLikely(path, page))?.path
      );
    },
  };
}

/** Links to a file at the host of a repository, as far as their form shows it. A page may hold links of any length. */
export const isFileLink = (link: string) =>
  link.length < 1_000 && /^https?:\/\/[^/]+\/.+\/(_?edit|blob|tree|src)\/./.test(link);

/** `…/edit/main/docs/install.rst`: a branch may have slashes, so the longest path that there is counts. */
function namedFile(link: string, known: ReadonlySet<string>) {
  const parts = decodePercent(/^[^?#]*/.exec(link)?.[0] ?? '').split('/');
  const at = parts.findIndex((part, index) => index > 3 && /^(_?edit|blob|tree|src)$/.test(part));
  const rests = parts.map((_, index) => parts.slice(Math.max(index, at + 2)).join('/'));
  const path = at < 0 ? undefined : rests.find((rest) => known.has(rest));
  const isEdit = parts[at]?.endsWith('edit') === true || /[?&]mode=edit\b/.test(link);
  return path === undefined ? undefined : { path, isEdit };
}

/** `docs/_build/html` is made from `docs`, and `public` from the folder it's in. */
function folderOf(build: string): string {
  const parts = resolve(build).split(sep);
  const at = parts.findIndex((one) =>
    /^(_?build|_site|public|dist|book|out|site|html)$/i.test(one),
  );
  return at > 1 ? parts.slice(0, at).join(sep) : dirname(resolve(build));
}

const isReadme = (file: string) => /(^|\/)readme\.\w+$/i.test(file);

/** `guide/index.html`, `guide.html`, `guide.rst`, and `guide/_index.md` are one page. Hugo writes small letters. */
const pageOf = (file: string) =>
  joinFile(file.replace(/\.\w+$/, '').replace(/(^|\/)(_?index|readme)$/i, ''))
    .toLowerCase()
    .replaceAll(' ', '-');

const isLikely = (path: string, page: string) =>
  page === ''
    ? pageOf(posix.basename(path)) === ''
    : `/${pageOf(path)}`.endsWith(`/${posix.basename(page)}`);
