import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DocentError } from '../../platform/errors.ts';
import {
  isWanted,
  type PageSource,
  type SourcePage,
  type SourceRun,
  unreadablePage,
} from './page-source.ts';
import { joinPath } from '../generators/paths.ts';
import { parseOpenApi } from './openapi/document.ts';
import {
  createOperationAddresses,
  operationMarkdown,
  operationTitle,
} from './openapi/operation-page.ts';
import { hashPage, readPage } from '../pages/read-page.ts';
import type { WebClient } from '../web/web-client.ts';
import { type DocumentText, readDocument } from '../web/read-document.ts';

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

/** Reads each operation of an OpenAPI document as a page. */
export function createOpenApiSource(options: OpenApiSourceOptions): PageSource {
  const { document: from, client } = options;
  return {
    id: `openapi ${from}`,
    async read(run) {
      const read = /^https?:\/\//.test(from)
        ? await readDocument(client, new URL(from), maxBytes, run)
        : await readLocal(from);
      if (!('text' in read)) return read;
      const pages = toPages(read.text, options, run);
      if (pages.length === 0) {
        throw new DocentError('bad_request', `There is no operation for readers in ${from}.`);
      }
      return { pages, keep: read.keep(pages) };
    },
  };
}

async function readLocal(file: string): Promise<DocumentText> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new DocentError('bad_request', `The file ${file} cannot be read.`, { cause });
  });
  return { text, keep: () => undefined };
}

function toPages(text: string, options: OpenApiSourceOptions, run: SourceRun): SourcePage[] {
  const { document: from, basePath, baseUrl, layout } = options;
  const document = parseOpenApi(text, from);
  const addressOf = createOperationAddresses(layout);
  return document.operations
    .filter(({ route }) => isWanted(route.slice(1), options))
    .map((one): SourcePage => {
      const { path: below, link } = addressOf(one);
      const path = joinPath(basePath, below);
      // An operation with a page of its own has its address; one among others has only its anchor.
      const url =
        (baseUrl ?? '') +
        (link.startsWith('#') ? joinPath(basePath) + link : joinPath(basePath, link));
      const name = `${one.method.toUpperCase()} ${one.route}`;
      const known = { path, hash: '', from: `${from} ${name}` };
      let markdown: string;
      try {
        markdown = operationMarkdown(one, document);
      } catch (error) {
        return unreadablePage(known, error);
      }
      const input = {
        file: `${path.slice(1)}.md`,
        markdown,
        path,
        title: operationTitle(one),
        description: name,
        onWarning: run.onWarning,
      };
      const hash = createHash('sha256').update(hashPage(input)).update(url).digest('hex');
      return {
        ...known,
        hash,
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
