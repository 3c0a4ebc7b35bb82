/** Checks that the site has every page and anchor that answers may cite. */
import { DocentError } from '../../platform/errors.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { pageUrl } from '../../platform/tenants/page-url.ts';
import type { Site } from '../../platform/tenants/sites.ts';
import { parse } from '../parsing/parse.ts';
import { createWebClient } from '../web/web-client.ts';

export interface AddressReport {
  /** Those that were checked, and those that could be. */
  pages: number;
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
  /** All of them if it's not said. */
  maxPages?: number | undefined;
  onProgress?: ((progress: { done: number; total: number; path: string }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** How many pages are requested at the same time. */
const concurrency = 4;

export async function checkAddresses(options: CheckAddressesOptions): Promise<AddressReport> {
  const { site, retriever, maxPages, onProgress, signal } = options;
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
        if (!(error instanceof DocentError)) throw error;
        fault ??= error;
        return undefined;
      });
    const ids =
      html === undefined
        ? undefined
        : await parse('htmlAnchors', html, { signal }).catch(asMissing);
    if (ids === undefined) report.missingPages.push(address);
    for (const anchor of anchors) {
      if (!ids?.has(anchor)) report.missingAnchors.push(pageUrl(docs, page, anchor));
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

/** Of a page that's too much for a reader of ours, nobody knows what a browser finds. */
function asMissing(error: unknown): undefined {
  if (!isTooMuch(error)) throw error;
}
