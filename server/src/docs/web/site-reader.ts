/** Reads the pages of a site: a few at the same time, in a fixed order, each once. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { SourceOf } from '../../platform/config/docs-config.ts';
import { DocentError } from '../../platform/errors.ts';
import { mapLimited } from '../../platform/map-limited.ts';
import { createPauses } from '../../platform/pauses.ts';
import { isTooMuch } from '../../platform/workers/worker-pool.ts';
import type { SourcePage, SourceResult, SourceRun } from '../sources/page-source.ts';
import type { OnSite } from '../sources/web-sources.ts';
import { createPageReader, type KeptPage } from './page-reader.ts';
import type { RobotsFile } from './robots.ts';
import type { WebClient } from './web-client.ts';

interface Wanted {
  url: URL;
  lastmod?: string | undefined;
  title?: string | undefined;
}

interface SiteOptions extends Pick<
  OnSite<SourceOf<'sitemap'>>,
  'client' | 'baseUrl' | 'basePath' | 'maxPages' | 'respectRobots'
> {
  /** Pages to read first, or all pages if links are not followed. */
  start: Wanted[];
  /** Whether an address may be requested. */
  isInScope: (url: URL) => boolean;
  /** Whether the page of an address is indexed. */
  isWanted: (url: URL) => boolean;
  /** Maximum number of links from a start page. 0: links are not followed. */
  maxDepth: number;
  name: string;
}

/** `links` holds each address once, and pages refer to them by index. */
interface Kept {
  pages: Record<string, Omit<KeptPage, 'links'> & { links: number[] }>;
  links: string[];
}

const concurrency = 4;
/** After this many failures in a row, the site is considered down. */
const maxFailuresInRow = 10;
/** Addresses that are compared with the rules of `robots.txt` together. */
const batchSize = 500;

export async function readSite(options: SiteOptions, run: SourceRun): Promise<SourceResult> {
  const { client, maxDepth, maxPages, name } = options;
  const before = unpack(run.kept);
  const start = options.start[0]?.url;
  if (!start) throw new DocentError('bad_request', `${name} names no page.`);
  const robots = options.respectRobots ? await openRobots(client, start, run) : allowsEverything;
  const mayFollow = async (url: URL): Promise<boolean> =>
    options.isInScope(url) && (await robots.allowed([url])).length > 0;
  const reader = createPageReader({ ...options, run, mayFollow });

  const seen = new Set<string>();
  const kept = new Map<string, KeptPage>();
  /** Pages by canonical address. The page at that address has priority over its copies. */
  const byCanonical = new Map<string, { page: SourcePage; isOwn: boolean }>();
  const failures: string[] = [];
  let failuresInRow = 0;
  let done = 0;
  let isCut = false;

  let level = await take(options.start);
  for (let depth = 0; level.length > 0; depth += 1) {
    const next = await readLevel(level, depth < maxDepth);
    // oxlint-disable-next-line no-await-in-loop -- level by level
    level = await take(next.map((url) => ({ url })));
  }

  /** The pages to read next, as far as there may be more. */
  async function take(wanted: Wanted[]): Promise<Wanted[]> {
    const fresh = new Map<string, Wanted>();
    const pause = createPauses();
    for (const one of wanted) {
      // oxlint-disable-next-line no-await-in-loop -- a site may name a million pages
      await pause();
      const { href } = one.url;
      if (!seen.has(href) && !fresh.has(href) && options.isInScope(one.url)) fresh.set(href, one);
    }
    const taken: Wanted[] = [];
    const waiting = [...fresh.values()];
    for (let at = 0; at < waiting.length && !isCut; at += batchSize) {
      const batch = waiting.slice(at, at + batchSize);
      // oxlint-disable-next-line no-await-in-loop -- as many as the limit of pages needs
      const allowed = new Set(await robots.allowed(batch.map(({ url }) => url)));
      for (const one of batch) {
        if (!allowed.has(one.url)) continue;
        isCut ||= seen.size >= maxPages;
        if (isCut) break;
        seen.add(one.url.href);
        taken.push(one);
      }
    }
    return taken;
  }

  async function readLevel(wanted: Wanted[], follow: boolean): Promise<URL[]> {
    const atOnce = robots.delayMs > 0 ? 1 : concurrency;
    const found = await mapLimited(wanted, atOnce, async (one) => {
      run.signal?.throwIfAborted();
      if (robots.delayMs > 0 && done > 0) {
        await sleep(robots.delayMs, undefined, { signal: run.signal });
      }
      const links = await readOne(one);
      done += 1;
      run.onProgress({ done, total: seen.size, path: one.url.href });
      return follow ? links : [];
    });
    return found.flat();
  }

  async function readOne({ url, lastmod, title }: Wanted): Promise<URL[]> {
    const known = before.get(url.href);
    const outcome = await reader.read(url, known, { lastmod, title });
    if (outcome.kind === 'failed') {
      failures.push(outcome.reason);
      failuresInRow += 1;
      if (failuresInRow >= maxFailuresInRow) {
        throw new DocentError('unavailable', `${name} doesn't respond: ${outcome.reason}`);
      }
      // Follow its old links, or the pages behind them would count as removed.
      if (known) kept.set(url.href, known);
      return known ? toUrls(known.links) : [];
    }
    failuresInRow = 0;
    if (outcome.kind === 'gone') return [];
    seen.add(outcome.url.href);
    if (outcome.kind === 'passed') {
      if (outcome.warning !== undefined) run.onWarning(outcome.warning);
      if (outcome.kept) kept.set(url.href, outcome.kept);
      return outcome.links;
    }
    kept.set(url.href, outcome.kept);
    const { page, canonical } = outcome;
    if (!options.isWanted(outcome.url)) return outcome.links;
    const isOwn = canonical.href === outcome.url.href;
    const other = byCanonical.get(canonical.href);
    if (!other || (isOwn && !other.isOwn)) byCanonical.set(canonical.href, { page, isOwn });
    return outcome.links;
  }

  const pages = [...byCanonical.values()].map(({ page }) => page);
  if (isCut) run.onWarning(`${name}: only the first ${maxPages} pages were read ("maxPages").`);
  if (pages.length === 0) {
    const why = failures[0] ?? `There is no page for readers at ${name}.`;
    throw new DocentError(failures.length > 0 ? 'unavailable' : 'bad_request', why);
  }
  const count = failures.length === 1 ? 'a page' : `${failures.length} pages`;
  return {
    pages,
    keep: pack(kept),
    ...(failures.length > 0 && {
      incomplete: `${name}: ${count} could not be read, so nothing of it was removed. ${failures[0]}`,
    }),
  };
}

function toUrls(links: readonly string[]): URL[] {
  return links.map((link) => new URL(link));
}

function pack(pages: ReadonlyMap<string, KeptPage>): Kept {
  const numbers = new Map<string, number>();
  const numberOf = (link: string): number => {
    const number = numbers.get(link) ?? numbers.size;
    numbers.set(link, number);
    return number;
  };
  const packed = [...pages]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([url, page]) => [url, { ...page, links: page.links.map(numberOf) }]);
  return { pages: Object.fromEntries(packed) as Kept['pages'], links: [...numbers.keys()] };
}

function unpack(kept: unknown): Map<string, KeptPage> {
  const { pages = {}, links = [] } = (kept ?? {}) as Partial<Kept>;
  return new Map(
    Object.entries(pages).map(([url, page]) => [
      url,
      { ...page, links: page.links.flatMap((number) => links[number] ?? []) },
    ]),
  );
}

interface Robots {
  allowed(urls: readonly URL[]): Promise<readonly URL[]>;
  /** The delay between two requests that the site asks for. */
  delayMs: number;
}

const allowsEverything: Robots = { allowed: (urls) => Promise.resolve(urls), delayMs: 0 };

/** A longer delay means that the site doesn't want to be crawled. */
const maxDelayMs = 30_000;

/**
 * By RFC 9309, a missing file allows everything. A server error allows nothing, so the run fails and the
 * index stays as it was.
 */
async function openRobots(
  client: WebClient,
  origin: URL,
  { parse, signal }: Pick<SourceRun, 'parse' | 'signal'>,
): Promise<Robots> {
  const url = new URL('/robots.txt', origin);
  const { status, body } = await client.get(url, { maxBytes: 500_000, signal });
  if (status === 429 || status >= 500) {
    throw new DocentError('unavailable', `${url.href} could not be read: it answered ${status}.`);
  }
  if (status !== 200) return allowsEverything;
  const shared: RobotsFile = { url: url.href, text: body.toString('utf8') };
  const ask = async (addresses: string[]) => {
    try {
      return await parse('robots', addresses, { shared, signal });
    } catch (error) {
      if (!isTooMuch(error)) throw error;
      throw new DocentError('unavailable', `${url.href} could not be read: ${error.message}.`);
    }
  };
  const { delaySeconds } = await ask([]);
  return {
    async allowed(urls) {
      const { isAllowed } = await ask(urls.map(({ href }) => href));
      return urls.filter((_, at) => isAllowed[at]);
    },
    delayMs: Math.min(delaySeconds * 1000, maxDelayMs),
  };
}
