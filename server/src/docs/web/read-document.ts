/** Reads one document of the web that has several pages in it, unless it is still the same. */
import {
  type KnownPage,
  type SourcePage,
  type SourceResult,
  type SourceRun,
  toKnownPage,
  unchangedPage,
} from '../sources/page-source.ts';
import { assertRead, type WebClient } from './web-client.ts';

interface Kept {
  etag?: string | undefined;
  lastModified?: string | undefined;
  pages: KnownPage[];
}

export interface DocumentText {
  text: string;
  /** What the source keeps, once the pages are known. */
  keep: (pages: readonly SourcePage[]) => Kept | undefined;
}

/** The text of the document, or the pages of the last run. */
export async function readDocument(
  client: WebClient,
  url: URL,
  maxBytes: number,
  run: SourceRun,
): Promise<DocumentText | SourceResult> {
  client.addStart(url);
  const kept = run.kept as Kept | undefined;
  const isHeld = kept?.pages.every(({ path, hash }) => run.isHeld(path, hash)) === true;
  const headers = {
    ...(isHeld && kept.etag !== undefined && { 'If-None-Match': kept.etag }),
    ...(isHeld && kept.lastModified !== undefined && { 'If-Modified-Since': kept.lastModified }),
  };
  const response = await client.get(url, { headers, maxBytes, signal: run.signal });
  if (response.status === 304 && isHeld) {
    return { pages: kept.pages.map(unchangedPage), keep: kept };
  }
  assertRead(url.href, response.status);
  const { etag, 'last-modified': lastModified } = response.headers;
  return {
    text: response.body.toString('utf8'),
    keep: (pages) => ({ etag, lastModified, pages: pages.map(toKnownPage) }),
  };
}
