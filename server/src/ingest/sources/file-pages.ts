/** Markdown and MDX files, wherever they lie, as pages of a site. */
import { createHash } from 'node:crypto';
import { readFrontmatter } from '../../markdown/frontmatter.ts';
import { isOrdered, pathOfSlug, sitePath, withoutOrder } from '../../markdown/links.ts';
import { hashPage, readPage } from '../read-page.ts';
import type { SourcePage } from './source.ts';

export interface FilePagesOptions {
  /** Paths below the docs folder, with `/`, in a fixed order. */
  files: readonly string[];
  read: (file: string) => Promise<Buffer>;
  basePath: string;
  signal?: AbortSignal | undefined;
  onWarning: (warning: string) => void;
}

interface SourceFile {
  file: string;
  path: string;
  source: string;
}

export async function filePages(options: FilePagesOptions): Promise<SourcePage[]> {
  const { basePath, onWarning } = options;
  const files = await readFiles(options);
  const usual = usualPath(
    files.map(({ file }) => file),
    basePath,
  );
  const moved = new Map(
    files.filter(({ file, path }) => path !== usual(file)).map(({ file, path }) => [file, path]),
  );
  // A page that moves changes the links of others, so all are read again; sites that have none pay nothing.
  const salt =
    moved.size === 0
      ? ''
      : createHash('sha256')
          .update(JSON.stringify([...moved]))
          .digest('hex');
  const pathOf = (file: string) => moved.get(file) ?? usual(file);
  return files.map((one) => ({
    path: one.path,
    hash: hashPage({ ...one, basePath }, salt),
    from: one.file,
    read: () => readPage({ ...one, basePath, pathOf, onWarning }),
  }));
}

function isReadme(file: string): boolean {
  return /(^|\/)readme\.\w+$/i.test(file);
}

/** Where a file without a `slug` stands on the site. */
function usualPath(files: readonly string[], basePath: string): (file: string) => string {
  return isOrdered(files)
    ? (file) => sitePath(withoutOrder(file), basePath)
    : (file) => sitePath(file, basePath);
}

/** Sources of all pages for readers, each path once. */
async function readFiles(options: FilePagesOptions): Promise<SourceFile[]> {
  const { files, read, basePath, signal, onWarning } = options;
  const usual = usualPath(files, basePath);
  const byPath = new Map<string, SourceFile>();
  // Where a folder has both, its index is the page and the README is for the repository.
  for (const file of [...files.filter((name) => !isReadme(name)), ...files.filter(isReadme)]) {
    signal?.throwIfAborted();
    const bytes = await read(file);
    const source = bytes.toString('utf8').replace(/^\uFEFF/, '');
    if (source.includes('\uFFFD') && !bytes.includes('\uFFFD')) {
      onWarning(`${file}: not valid UTF-8; what could not be read is shown as \uFFFD.`);
    }
    const front = readFrontmatter(source);
    if (front.isHidden) continue;
    if (front.mayBeHidden) {
      onWarning(
        `${file}: skipped, because its frontmatter is not YAML and may say who must not see it: ${front.problem}`,
      );
      continue;
    }
    const path = front.slug === undefined ? usual(file) : pathOfSlug(file, basePath, front.slug);
    const first = byPath.get(path);
    if (first) onWarning(`${file}: skipped, because ${first.file} has the same path ${path}.`);
    else byPath.set(path, { file, path, source });
  }
  return [...byPath.values()];
}
