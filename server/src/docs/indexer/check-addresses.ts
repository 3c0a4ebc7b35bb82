/** Checks that the site has every page and anchor that answers may cite. */
import { DocentError } from '../../platform/errors.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { pageUrl } from '../../platform/tenants/page-url.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { type Parse, parse } from '../parsing/parse.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import { createWebClient } from '../web/web-client.ts';

export interface AddressReport {
  /** How many were requested. */
  pages: number;
  /** How many the index has. */
  allPages: number;
  /** Addresses of pages that the site does not have. */
  missingPages: string[];
  /** Addresses of anchors that the site does not have, including all anchors of missing pages. */
  anchors: number;
  missingAnchors: string[];
}

export interface CheckAddressesOptions {
  site: Pick<Site, 'domain' | 'docs'>;
  retriever: Pick<Retriever, 'hashes' | 'page'>;
  onProgress?: ((progress: { done: number; total: number; path: string }) => void) | undefined;
  signal?: AbortSignal | undefined;
  /** The first ones only, in the order of their paths. */
  maxPages?: number | undefined;
  /** Reads pages in a worker. Tests give one with other limits. */
  run?: Parse | undefined;
}

/** How many pages are requested at the same time. */
const concurrency = 4;

export async function checkAddresses(options: CheckAddressesOptions): Promise<AddressReport> {
  const { site, retriever, onProgress, signal, maxPages, run = parse } = options;
  const { domain, docs } = site;
  if (docs.baseUrl === undefined) {
    throw new DocentError('bad_request', `The site ${domain} has no baseUrl to check.`);
  }
  const all = [...(await retriever.hashes(domain)).keys()].toSorted();
  const paths = all.slice(0, maxPages);
  const client = createWebClient({ privateHosts: docs.allowPrivateHosts });
  let fault: DocentError | undefined;
  const report: AddressReport = {
    pages: 0,
    allPages: all.length,
    missingPages: [],
    anchors: 0,
    missingAnchors: [],
  };

  async function check(path: string): Promise<void> {
    const page = await retriever.page(domain, path);
    if (!page) return;
    const anchors = [...new Set(page.passages.map(({ anchor }) => anchor).filter(Boolean))];
    const address = pageUrl(docs, page);
    report.pages += 1;
    report.anchors += anchors.length;
    const html = await client
      .get(new URL(address), { signal, maxBytes: 8 * 1024 * 1024 })
      .then(({ status, body }) => (status === 200 ? body.toString('utf8') : undefined))
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        if (!(error instanceof DocentError)) throw error;
        fault ??= error;
        return undefined;
      });
    const ids = html === undefined ? undefined : await idsIn(html);
    if (ids === undefined) report.missingPages.push(address);
    for (const anchor of anchors) {
      if (!ids?.has(anchor)) report.missingAnchors.push(pageUrl(docs, page, anchor));
    }
  }

  /** Of a page that takes too much, no anchor is known. */
  async function idsIn(html: string): Promise<ReadonlySet<string>> {
    try {
      return await run('htmlNames', html, { signal });
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      return new Set();
    }
  }

  try {
    const waiting = paths.values();
    let done = 0;
    const work = async (): Promise<void> => {
      for (const path of waiting) {
        signal?.throwIfAborted();
        // oxlint-disable-next-line no-await-in-loop -- each worker requests one page at a time.
        await check(path);
        done += 1;
        onProgress?.({ done, total: paths.length, path });
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    client.close();
  }
  // If no page could be requested, the report would say nothing about the site.
  if (fault && report.missingPages.length === report.pages) throw fault;
  report.missingPages.sort();
  report.missingAnchors.sort();
  return report;
}
