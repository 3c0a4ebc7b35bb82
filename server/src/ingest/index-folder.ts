/** Brings the index of a site up to what its docs folder holds. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { DocentError } from '../errors.ts';
import type { Page, Retriever } from '../retrieval/retriever.ts';
import { readFrontmatter } from './frontmatter.ts';
import { isOrdered, pathOfSlug, sitePath, withoutOrder } from './links.ts';
import { hashPage, readPage } from './read-page.ts';
import { walkFolder } from './walk-folder.ts';

export interface DocsSource {
  folder: string;
  /** Where the folder stands on the site; `/` if not given. */
  basePath?: string | undefined;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
}

export interface IndexFolderOptions {
  domain: string;
  docs: DocsSource;
  retriever: Pick<Retriever, 'hashes' | 'apply'>;
  /** After each file; `path` is below the docs folder. */
  onProgress?: ((progress: IndexProgress) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface IndexProgress {
  done: number;
  total: number;
  path: string;
}

export interface IndexReport {
  pages: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  /** In the pages that were added or changed. */
  passages: number;
  warnings: string[];
  seconds: number;
}

interface SourceFile {
  file: string;
  path: string;
  source: string;
}

/** How long others may have to wait while files are parsed in this process. */
const breatheEveryMs = 15;

/**
 * Nothing is written before every file is read, and nothing where nothing changed. What goes wrong
 * leaves the index as it was: a folder that is missing, unreadable or suddenly empty, an abort.
 */
export async function indexFolder(options: IndexFolderOptions): Promise<IndexReport> {
  const { domain, docs, retriever, signal } = options;
  const started = performance.now();
  const basePath = docs.basePath ?? '/';
  const warnings: string[] = [];
  const onWarning = (warning: string): void => void warnings.push(warning);
  const files = await readFiles(options, basePath, onWarning);
  const held = await retriever.hashes(domain);
  if (files.length === 0) {
    const had = held.size > 0 ? ` The ${held.size} pages indexed before stay.` : '';
    throw new DocentError('bad_request', `There is no page for readers in ${docs.folder}.${had}`);
  }

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
  const report: IndexReport = {
    pages: files.length,
    added: 0,
    changed: 0,
    unchanged: 0,
    removed: 0,
    passages: 0,
    warnings,
    seconds: 0,
  };
  const upsert: Page[] = [];
  const paths = new Set<string>();
  let breathedAt = performance.now();
  for (const [index, one] of files.entries()) {
    signal?.throwIfAborted();
    paths.add(one.path);
    const hash = hashPage({ ...one, basePath }, salt);
    const before = held.get(one.path);
    if (before === hash) report.unchanged += 1;
    else {
      const page = readPage({
        ...one,
        basePath,
        pathOf: (file) => moved.get(file) ?? usual(file),
        onWarning,
      });
      upsert.push({ ...page, hash });
      report.passages += page.passages.length;
      report[before === undefined ? 'added' : 'changed'] += 1;
    }
    options.onProgress?.({ done: index + 1, total: files.length, path: one.file });
    if (performance.now() - breathedAt > breatheEveryMs) {
      await breathe();
      breathedAt = performance.now();
    }
  }
  const remove = [...held.keys()].filter((path) => !paths.has(path));
  report.removed = remove.length;
  signal?.throwIfAborted();
  if (upsert.length > 0 || remove.length > 0) await retriever.apply(domain, { upsert, remove });
  report.seconds = (performance.now() - started) / 1000;
  return report;
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
async function readFiles(
  { docs, signal }: IndexFolderOptions,
  basePath: string,
  onWarning: (warning: string) => void,
): Promise<SourceFile[]> {
  const names = await walkFolder({ ...docs, signal, onWarning });
  const usual = usualPath(names, basePath);
  const byPath = new Map<string, SourceFile>();
  // Where a folder has both, its index is the page and the README is for the repository.
  for (const file of [...names.filter((name) => !isReadme(name)), ...names.filter(isReadme)]) {
    signal?.throwIfAborted();
    const bytes = await readFile(join(docs.folder, file)).catch((cause: unknown) => {
      // Going on without it would take its page out of the index.
      throw new DocentError('unavailable', `The file ${file} in the docs folder cannot be read.`, {
        cause,
      });
    });
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
