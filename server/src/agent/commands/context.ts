import { type DocsState, openState, type ParsedPages, isDocsFile } from '../checks/docs-state.ts';
import { JobError } from '../../platform/errors.ts';
import { FileError, NotAllowed } from '../workspace/paths.ts';
import type { FileSet } from '../workspace/file-set.ts';
import { trimEndOf } from '../../platform/text.ts';
import { posix } from 'node:path';
import { isIn, joinFile, pageEnding } from '../../docs/generators/paths.ts';

export interface CommandContext {
  files: FileSet;
  project: { docsRoot: string };
  parsed: ParsedPages;
  signal: AbortSignal;
}

/** Sentences for the owner: changes, and problems that remain. */
export interface Outcome {
  done: string[];
  open: string[];
}

export function openDocs({ files, project, parsed, signal }: CommandContext): Promise<DocsState> {
  return openState(files.view(), project.docsRoot, { signal, parsed });
}

/** Ends the job without a change. */
export function refuse(message: string): never {
  throw new JobError('command_failed', message);
}

export async function attempt(work: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error instanceof NotAllowed
      ? "the project's `paths` don't allow jobs to change it."
      : error.message;
  }
}

export const folderOf = (path: string) => path.slice(0, Math.max(path.lastIndexOf('/'), 0));

const plain = (written: string) => trimEndOf(written, '/').replace(/^(\.?\/)+/, '');

/** Endings that people leave out. */
const endings = ['', '.md', '.mdx', '.markdown', '/index.md', '/index.mdx', '/README.md'];

/** An existing page, by its path with or without its ending, or by its address on the site. */
export async function findPage(written: string, state: DocsState): Promise<string> {
  const found = await lookUp(written, state);
  return (
    found ?? refuse(`There is no page “${written}”. Write its path, such as "guides/start.md".`)
  );
}

async function lookUp(written: string, state: DocsState): Promise<string | undefined> {
  const { site } = state;
  const isPage = (path: string) => site.files.has(path) && isDocsFile(path, site.root);
  for (const ending of endings) {
    const path = plain(written) + ending;
    const found = [joinFile(site.root, path), joinFile(path)].find(isPage);
    if (found !== undefined) return found;
  }
  await state.readFronts();
  const target = site.resolve(`/${plain(written)}`, joinFile(site.root, 'index.md'));
  return target.kind === 'page' && isPage(target.file) ? target.file : undefined;
}

/** The pages below a folder, or one page; all pages if nothing is given. */
export async function pagesIn(
  written: string | undefined,
  state: DocsState,
): Promise<readonly string[]> {
  const { pages, root } = state.site;
  if (written === undefined) return pages;
  for (const folder of [joinFile(root, plain(written)), joinFile(plain(written))]) {
    const inside = pages.filter((page) => isIn(page, folder));
    if (inside.length > 0) return inside;
  }
  const page = await lookUp(written, state);
  return page === undefined ? refuse(`There is no page or folder “${written}”.`) : [page];
}

/** The path of a new page. If the given path is a folder, the page keeps its `name` in it. */
export function newPath(
  written: string,
  { site }: DocsState,
  { ending, name }: { ending: string; name?: string },
): string {
  const bare = plain(written);
  const path = isIn(bare, site.root) ? joinFile(bare) : joinFile(site.root, bare);
  if (
    name !== undefined &&
    (/[/\\]$/.test(written) || site.pages.some((page) => page !== path && isIn(page, path)))
  )
    return joinFile(path, name);
  if (pageEnding.test(path)) return path;
  if (/\.\w+$/.test(path))
    refuse(`“${written}” isn’t the path of a page. It must end with ${ending}.`);
  return path + ending;
}

export const endingOf = (path: string) => pageEnding.exec(path)?.[0] ?? '.md';

export const nameOf = (path: string) => posix.basename(path);
