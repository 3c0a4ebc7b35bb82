/** Turns a page into Meilisearch documents: one with the whole page, and one per passage for searching. */
import { terms } from '../ranker/analysis.ts';
import { normalizePath } from '../page-path.ts';
import type { Page, Passage } from '../retriever.ts';
import type { PassageVectors } from '../vectors.ts';
import { visibilityFields } from './filter.ts';
import { digest, termToken } from './names.ts';
import { embedderName } from './settings.ts';

/** The fields that every document of a page has. */
interface Common {
  id: string;
  /** The id of the page in the version that this run wrote. */
  page: string;
  run: string;
  /** When the run began, in ms. The age shows which documents a killed run left. */
  started: number;
}

export interface PageDocument extends Common {
  kind: 'page';
  address: string;
  path: string;
  hash: string;
  passages: number;
  /** The page as JSON without its Markdown, because questions read many pages but no Markdown. */
  json: string;
  markdown: string;
  /** If there are vectors: the digests of their source texts, and their bytes in Base64. */
  vectorKeys?: string;
  vectors?: string;
}

export interface Run {
  id: string;
  started: number;
}

/** The id contains the run, so that two versions of a page can coexist. */
function pageId(path: string, run: Run): string {
  return `${addressOf(path)}-${run.id}`;
}

/** Equal for all forms of a path. */
export function addressOf(path: string): string {
  return digest(normalizePath(path));
}

/** The page and the folders that it's in, innermost first, for filtering. */
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
    // Only the direction counts, so bytes are precise enough. Whole pages have no vector.
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

/** The stored vectors of a page. */
export function vectorsOfDocument(
  { vectorKeys: keys, vectors }: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  { model, dimensions }: { model: string; dimensions: number },
): PassageVectors | undefined {
  if (keys === undefined || vectors === undefined) return undefined;
  return { model, dimensions, keys, values: new Int8Array(Buffer.from(vectors, 'base64')) };
}
