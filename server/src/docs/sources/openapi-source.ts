import { readFile } from 'node:fs/promises';
import { sha256 } from '../../platform/hash.ts';
import type { SourceOf } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import {
  type PageSource,
  readMarkdown,
  type SourcePage,
  type SourceRun,
  unreadablePage,
} from './page-source.ts';
import type { OperationText } from './openapi/operations.ts';
import { hashPage } from '../pages/page-hash.ts';
import { type DocumentText, readDocument } from '../web/read-document.ts';
import type { OnSite } from './web-sources.ts';

type OpenApiOptions = OnSite<SourceOf<'openapi'>> & { basePath: string };

const maxBytes = 30_000_000;

export function createOpenApiSource(options: OpenApiOptions): PageSource {
  const { document: from, client } = options;
  return {
    id: `openapi ${from}`,
    async read(run) {
      const read = /^https?:\/\//.test(from)
        ? await readDocument(client, new URL(from), maxBytes, run)
        : await readLocal(from);
      if (!('text' in read)) return read;
      const { basePath, baseUrl, layout, include, exclude } = options;
      const input = { text: read.text, from, basePath, baseUrl, layout, include, exclude };
      const pages = (await run.parse('openApi', input)).map((one) => toPage(one, from, run));
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

function toPage(
  { path, url, name, title, text, fault }: OperationText,
  document: string,
  run: SourceRun,
): SourcePage {
  const known = { path, hash: '', from: `${document} ${name}` };
  if (text === undefined) return unreadablePage(known, fault);
  const input = { file: `${path.slice(1)}.md`, markdown: text, path, title, description: name };
  const hash = sha256([hashPage(input), url]);
  return {
    ...known,
    hash,
    async read() {
      const page = await readMarkdown(input, run);
      return {
        ...page,
        url,
        passages: page.passages.map((passage) => ({ ...passage, anchor: '' })),
      };
    },
  };
}
