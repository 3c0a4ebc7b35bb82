/** A page as the documents that Meilisearch keeps: one with all of it, and one to find each passage by. */
import { terms } from '../ranker/analysis.ts';
import { normalizePath } from '../page-path.ts';
import type { Page, Passage } from '../retriever.ts';
import type { PassageVectors } from '../vectors.ts';
import { visibilityFields } from './filter.ts';
import { digest, termToken } from './names.ts';
import { embedderName } from './settings.ts';

/** What every document of a page carries. */
interface Common {
  id: string;
  /** The page, in the version that this run wrote. */
  page: string;
  run: string;
  /** When the run began, in ms: what a dead run left is told by its age. */
  started: number;
}

export interface PageDocument extends Common {
  kind: 'page';
  address: string;
  path: string;
  hash: string;
  passages: number;
  /** The page as JSON, without its Markdown: most questions need many pages, and the Markdown of none. */
  json: string;
  markdown: string;
  /** Where there are vectors: what those of its passages are made of, and their bytes in base64. */
  vectorKeys?: string;
  vectors?: string;
}

export interface Run {
  id: string;
  started: number;
}

/** Ids of a page differ from run to run, so a page and the next version of it can lie side by side. */
function pageId(path: string, run: Run): string {
  return `${addressOf(path)}-${run.id}`;
}

/** The same for all spellings of a path. */
export function addressOf(path: string): string {
  return digest(normalizePath(path));
}

/** The folders that a page is in and the page itself, innermost first, as values to filter by. */
export function foldersOf(path: string): string[] {
  const parts = normalizePath(path).split('/').slice(1);
  return parts.map((_, index) => `/${parts.slice(0, parts.length - index).join('/')}`);
}

export function pageOfDocument({ json, markdown }: Pick<PageDocument, 'json' | 'markdown'>): Page {
  return { ...(JSON.parse(json) as Omit<Page, 'markdown'>), markdown };
}

export function documentsOf(page: Page, run: Run, vectors?: PassageVectors): object[] {
  const id = pageId(page.path, run);
  const common = { page: id, run: run.id, started: run.started };
  const visible = visibilityFields(page);
  const vectorOf = (passage: number): object => {
    if (!vectors) return {};
    const { values, dimensions } = vectors;
    const bytes = values.subarray(passage * dimensions, (passage + 1) * dimensions);
    // Only the direction counts, so the bytes are numbers enough; a page itself has none.
    return { _vectors: { [embedderName]: passage < 0 || isZero(bytes) ? null : [...bytes] } };
  };
  const { markdown, ...read } = page;
  const whole: PageDocument = {
    ...common,
    id,
    kind: 'page',
    address: addressOf(page.path),
    path: page.path,
    hash: page.hash,
    passages: page.passages.length,
    json: JSON.stringify(read),
    markdown,
    ...(vectors && {
      vectorKeys: vectors.keys,
      vectors: Buffer.from(new Uint8Array(vectors.values)).toString('base64'),
    }),
  };
  const folders = foldersOf(page.path).map(digest);
  return [
    { ...whole, ...visible, ...vectorOf(-1) },
    ...page.passages.map((passage, number) => ({
      ...common,
      ...visible,
      id: `${id}-${number}`,
      kind: 'passage',
      folders,
      ...searchedFields(page, passage, number === 0),
      ...vectorOf(number),
    })),
  ];
}

function searchedFields(page: Page, passage: Passage, isFirst: boolean): object {
  return {
    title: tokens(page.title),
    titles: tokens([passage.heading, ...passage.headingPath].join('\n')),
    content: tokens(
      [isFirst ? (page.description ?? '') : '', passage.text, passage.code, page.path].join('\n'),
    ),
  };
}

function tokens(text: string): string {
  return terms(text).map(termToken).join(' ');
}

function isZero(bytes: Int8Array): boolean {
  return bytes.every((value) => value === 0);
}

/** The vectors that a page was written with. */
export function vectorsOfDocument(
  { vectorKeys: keys, vectors }: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  { model, dimensions }: { model: string; dimensions: number },
): PassageVectors | undefined {
  if (keys === undefined || vectors === undefined) return undefined;
  return { model, dimensions, keys, values: new Int8Array(Buffer.from(vectors, 'base64')) };
}
