import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DocentError } from '../../platform/errors.ts';
import { isWanted, type Source, type SourcePage, type SourceRun } from './source.ts';
import { joinPath } from '../generators/paths.ts';
import { parseOpenApi } from './openapi/document.ts';
import {
  createOperationAddresses,
  operationMarkdown,
  operationTitle,
} from './openapi/operation-page.ts';
import { hashPage, readPage } from '../pages/read-page.ts';
import type { WebClient } from '../web/web-client.ts';

export interface OpenApiSourceOptions {
  /** A file on this machine, or an address. */
  document: string;
  basePath: string;
  layout: string;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  baseUrl?: string | undefined;
  client: WebClient;
}

const maxBytes = 30_000_000;

interface Kept {
  etag?: string | undefined;
  lastModified?: string | undefined;
  pages: { path: string; hash: string; from: string }[];
}

/** Reads each operation of an OpenAPI document as a page. */
export function createOpenApiSource(options: OpenApiSourceOptions): Source {
  const { document: from } = options;
  return {
    id: `openapi ${from}`,
    async read(run) {
      const read = await readDocument(options, run);
      if (!read) {
        const kept = run.kept as Kept;
        const unread = () => Promise.reject(new Error(`${from} was not read again.`));
        return {
          pages: kept.pages.map((page): SourcePage => ({ ...page, read: unread })),
          keep: kept,
        };
      }
      const { text, ...validators } = read;
      const pages = toPages(text, options, run);
      if (pages.length === 0) {
        throw new DocentError('bad_request', `There is no operation for readers in ${from}.`);
      }
      const keep: Kept = {
        ...validators,
        pages: pages.map(({ path, hash, from: name }) => ({ path, hash, from: name })),
      };
      return { pages, keep };
    },
  };
}

/** `undefined` if the document has not changed since the last time. */
async function readDocument(
  { document, client }: OpenApiSourceOptions,
  run: SourceRun,
): Promise<
  { text: string; etag?: string | undefined; lastModified?: string | undefined } | undefined
> {
  if (!/^https?:\/\//.test(document)) {
    const text = await readFile(document, 'utf8').catch((cause: unknown) => {
      throw new DocentError('bad_request', `The file ${document} cannot be read.`, { cause });
    });
    return { text };
  }
  const url = new URL(document);
  client.addStart(url);
  const kept = run.kept as Partial<Kept> | undefined;
  const isHeld = kept?.pages?.every(({ path, hash }) => run.isHeld(path, hash)) ?? false;
  const headers = {
    ...(isHeld && kept?.etag !== undefined && { 'If-None-Match': kept.etag }),
    ...(isHeld && kept?.lastModified !== undefined && { 'If-Modified-Since': kept.lastModified }),
  };
  const response = await client.get(url, { headers, maxBytes, signal: run.signal });
  if (response.status === 304 && isHeld) return undefined;
  if (response.status !== 200) {
    const code = response.status === 429 || response.status >= 500 ? 'unavailable' : 'bad_request';
    throw new DocentError(code, `${document} could not be read: it answered ${response.status}.`);
  }
  const { etag, 'last-modified': lastModified } = response.headers;
  return { text: response.body.toString('utf8'), etag, lastModified };
}

function toPages(text: string, options: OpenApiSourceOptions, run: SourceRun): SourcePage[] {
  const { document: from, basePath, baseUrl, layout } = options;
  const document = parseOpenApi(text, from);
  const addressOf = createOperationAddresses(layout);
  return document.operations
    .filter(({ route }) => isWanted(route.slice(1), options))
    .map((one): SourcePage => {
      const { path: below, place } = addressOf(one);
      const path = joinPath(basePath, below);
      // An operation with a page of its own has its address; one among others has only its anchor.
      const url =
        (baseUrl ?? '') +
        (place.startsWith('#') ? joinPath(basePath) + place : joinPath(basePath, place));
      const name = `${one.method.toUpperCase()} ${one.route}`;
      const input = {
        file: `${path.slice(1)}.md`,
        source: operationMarkdown(one, document),
        path,
        title: operationTitle(one),
        description: name,
        onWarning: run.onWarning,
      };
      const hash = createHash('sha256').update(hashPage(input)).update(url).digest('hex');
      return {
        path,
        hash,
        from: `${from} ${name}`,
        read: () => {
          const page = readPage(input);
          return {
            ...page,
            url,
            passages: page.passages.map((passage) => ({ ...passage, anchor: '' })),
          };
        },
      };
    });
}
