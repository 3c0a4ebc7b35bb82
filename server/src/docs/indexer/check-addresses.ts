/** Checks that the site has every page and anchor that answers may cite. */
import { readFile } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { DocentError } from '../../platform/errors.ts';
import { mapLimited } from '../../platform/map-limited.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import { pageUrl, type Site } from '../../platform/tenants/sites.ts';
import { decodePercent } from '../generators/paths.ts';
import { parse } from '../parsing/parse.ts';
import { createWebClient } from '../web/web-client.ts';

export interface AddressReport {
  /** Those that were checked, and those that could be. */
  pages: number;
  allPages: number;
  /** Of those that were checked, those that are built from a known file. */
  mapped: number;
  missingPages: string[];
  /** Addresses of anchors that the site does not have, including all anchors of missing pages. */
  anchors: number;
  missingAnchors: string[];
}

export interface CheckAddressesOptions {
  site: Pick<Site, 'domain' | 'docs'>;
  retriever: Pick<Retriever, 'hashes' | 'page'>;
  /** Where the built site is instead: a folder, or the address of a preview. */
  built?: string | undefined;
  /** All of them if it's not said. */
  maxPages?: number | undefined;
  onProgress?: ((progress: { done: number; total: number; path: string }) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const maxBytes = 8 * 1024 * 1024;

const concurrency = 4;

export async function checkAddresses(options: CheckAddressesOptions): Promise<AddressReport> {
  const { site, retriever, built, maxPages, onProgress, signal } = options;
  const { domain } = site;
  const { baseUrl = built === undefined ? undefined : 'http://docs.invalid' } = site.docs;
  if (baseUrl === undefined) {
    throw new DocentError(
      'bad_request',
      `The site ${domain} has no baseUrl to check. Write it, or name a built site with --site.`,
    );
  }
  const docs = { ...site.docs, baseUrl };
  const preview = built !== undefined && /^https?:/.test(built) ? new URL(built) : undefined;
  const all = [...(await retriever.hashes(domain)).keys()].toSorted();
  const paths = all.slice(0, maxPages);
  const client = createWebClient({
    // The owner has just named the preview.
    privateHosts: [...docs.allowPrivateHosts, ...(preview ? [preview.host] : [])],
  });
  let fault: DocentError | undefined;
  const report: AddressReport = {
    pages: 0,
    allPages: all.length,
    mapped: 0,
    missingPages: [],
    anchors: 0,
    missingAnchors: [],
  };

  let openFolder: ReturnType<typeof openBuilt> | undefined;

  async function addressesOf(some: readonly string[]): Promise<string[]> {
    const pages = await Promise.all(some.map((path) => retriever.page(domain, path)));
    return pages.flatMap((page) => (page ? [pageUrl(docs, page)] : []));
  }

  async function read(address: URL): Promise<string | undefined> {
    if (built !== undefined && !preview) {
      openFolder ??= addressesOf(paths.slice(0, 20)).then((some) =>
        openBuilt(resolve(built), some),
      );
      return (await openFolder)(address.href);
    }
    const shown = preview ? new URL(address.pathname + address.search, preview) : address;
    try {
      const { status, body } = await client.get(shown, { signal, maxBytes });
      return status === 200 ? body.toString('utf8') : undefined;
    } catch (error) {
      if (!(error instanceof DocentError)) throw error;
      fault ??= error;
      return undefined;
    }
  }

  async function check(path: string): Promise<void> {
    const page = await retriever.page(domain, path);
    if (!page) return;
    const anchors = [...new Set(page.passages.map(({ anchor }) => anchor).filter(Boolean))];
    const address = pageUrl(docs, page);
    report.pages += 1;
    if (page.source !== undefined) report.mapped += 1;
    report.anchors += anchors.length;
    const html = await read(new URL(address));
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
    let done = 0;
    await mapLimited(paths, concurrency, async (path) => {
      signal?.throwIfAborted();
      await check(path);
      done += 1;
      onProgress?.({ done, total: paths.length, path });
    });
  } finally {
    client.close();
  }
  // If no page could be requested, the report would say nothing about the site.
  if (fault && report.missingPages.length === report.pages) throw fault;
  report.missingPages.sort();
  report.missingAnchors.sort();
  return report;
}

/** The file that a web server would send for a path below a folder. */
async function readBuilt(folder: string, path: string): Promise<string | undefined> {
  // Next.js names the files of its export as addresses are written.
  for (const name of [path, `${path}.html`, `${path}/index.html`, `${encodeURI(path)}.html`]) {
    const file = join(folder, name);
    if (!file.startsWith(folder + sep)) continue;
    // oxlint-disable-next-line no-await-in-loop -- the first one counts
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** A build has no folders for the path at which it's published, such as `/project` on `acme.github.io`. */
async function openBuilt(folder: string, addresses: readonly string[]) {
  const partsOf = (address: string) => decodePercent(new URL(address).pathname).split('/').slice(1);
  const pathOf = (address: string, without: number) => partsOf(address).slice(without).join('/');
  const some = addresses.slice(0, 20);
  const found = await Promise.all(
    [0, 1, 2, 3].map(async (without) => {
      const starts = some.map((one) => partsOf(one).slice(0, without).join('/'));
      if (new Set(starts).size > 1) return { without, count: 0 };
      const pages = await Promise.all(some.map((one) => readBuilt(folder, pathOf(one, without))));
      return { without, count: pages.filter((page) => page !== undefined).length };
    }),
  );
  const [best] = found.toSorted((a, b) => b.count - a.count || a.without - b.without);
  return (address: string) => readBuilt(folder, pathOf(address, best?.without ?? 0));
}

/** Of a page that's too much for a reader of ours, nobody knows what a browser finds. */
function asMissing(error: unknown): undefined {
  if (!isTooMuch(error)) throw error;
}
