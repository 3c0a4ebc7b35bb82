/** Reads single pages of the web, with conditional requests where possible. */
import { sha256 } from '../../platform/hash.ts';
import { DocentError } from '../../platform/errors.ts';
import { decodePercent, joinFile } from '../generators/paths.ts';
import { dayOf } from '../markdown/frontmatter.ts';
import { hashPage } from '../pages/page-hash.ts';
import {
  readMarkdown,
  type SourcePage,
  type SourceRun,
  unchangedPage,
  unreadablePage,
} from '../sources/page-source.ts';
import { type AddressOptions, pageAddress, pathOfUrl, readersUrl } from './page-address.ts';
import type { WebClient, WebResponse } from './web-client.ts';

/** What is kept for an address from run to run. */
export interface KeptPage {
  etag?: string | undefined;
  lastModified?: string | undefined;
  lastmod?: string | undefined;
  /** Path and hash of the page in the index, if there is one. */
  path?: string;
  hash?: string;
  canonical?: string;
  links: string[];
}

export type Outcome =
  | { kind: 'page'; page: SourcePage; kept: KeptPage; links: URL[]; url: URL; canonical: URL }
  /** Read, but not indexed: `noindex`, a redirect to another site, or an empty page. */
  | { kind: 'passed'; kept?: KeptPage; links: URL[]; url: URL; warning?: string }
  | { kind: 'gone' }
  | { kind: 'failed'; reason: string };

const maxBytes = 10_000_000;
/** Increase it when the same HTML results in another page. */
const htmlReaderVersion = 1;

export interface PageReaderOptions extends AddressOptions {
  client: WebClient;
  run: Pick<SourceRun, 'parse' | 'isHeld' | 'signal' | 'onWarning'>;
  mayFollow: (url: URL) => boolean | Promise<boolean>;
}

export function createPageReader(options: PageReaderOptions) {
  const { client, run, mayFollow } = options;

  return {
    /** `kept` is from the last run, `lastmod` from the sitemap. */
    async read(
      url: URL,
      kept?: KeptPage,
      more: { lastmod?: string | undefined; title?: string | undefined } = {},
    ): Promise<Outcome> {
      const isHeld =
        kept !== undefined && (kept.path === undefined || run.isHeld(kept.path, kept.hash ?? ''));
      const hasValidators = kept?.etag !== undefined || kept?.lastModified !== undefined;
      // A server without validators would send the whole page, so the sitemap decides.
      const isSettled =
        isHeld && !hasValidators && more.lastmod !== undefined && kept.lastmod === more.lastmod;
      if (isSettled) return unchanged(url, kept, more.lastmod);
      const headers: Record<string, string> = {
        Accept: 'text/html, text/markdown;q=0.9, text/plain;q=0.5',
      };
      if (isHeld && kept.etag !== undefined) headers['If-None-Match'] = kept.etag;
      if (isHeld && kept.lastModified !== undefined)
        headers['If-Modified-Since'] = kept.lastModified;
      let response: WebResponse;
      try {
        response = await client.get(url, { headers, maxBytes, mayFollow, signal: run.signal });
      } catch (error) {
        run.signal?.throwIfAborted();
        if (!(error instanceof DocentError)) throw error;
        // A page that must not be read is skipped. A page that could not be read stays as it was.
        if (error.code === 'bad_request')
          return { kind: 'passed', links: [], url, warning: error.message };
        const reason = error.code === 'too_large' ? `${url.href}: ${error.message}` : error.message;
        return { kind: 'failed', reason };
      }
      if (response.status === 304 && kept) return unchanged(url, kept, more.lastmod);
      try {
        return await fresh(url, response, more);
      } catch (error) {
        run.signal?.throwIfAborted();
        return unreadable(response, kept, error);
      }
    },
  };

  function unchanged(url: URL, kept: KeptPage, lastmod: string | undefined): Outcome {
    const links = toUrls(kept.links, url);
    const now = { ...kept, lastmod: lastmod ?? kept.lastmod };
    if (kept.path === undefined || kept.hash === undefined) {
      return { kind: 'passed', kept: now, links, url };
    }
    const page = unchangedPage({ path: kept.path, hash: kept.hash, from: url.href });
    const canonical = pageAddress(kept.canonical ?? url.href, url) ?? url;
    return { kind: 'page', page, kept: now, links, url, canonical };
  }

  /** Its next request names no version that the index doesn't have. */
  function unreadable({ url, body }: WebResponse, known: KeptPage | undefined, error: unknown) {
    const path = known?.path ?? pathOfUrl(url, options);
    const hash = sha256(['unreadable', body]);
    const page = unreadablePage({ path, hash, from: url.href }, error);
    const kept = known?.path === undefined ? { links: [] } : known;
    return {
      kind: 'page',
      page,
      kept,
      links: toUrls(kept.links, url),
      url,
      canonical: url,
    } as const;
  }

  async function fresh(
    asked: URL,
    response: WebResponse,
    more: { lastmod?: string | undefined; title?: string | undefined },
  ): Promise<Outcome> {
    const { status, url, headers } = response;
    if (status === 404 || status === 410) return { kind: 'gone' };
    if (status >= 300 && status < 400) return { kind: 'passed', links: [], url };
    if (status === 429 || status >= 500) {
      return { kind: 'failed', reason: `${asked.href} could not be read: it answered ${status}.` };
    }
    if (status !== 200) {
      return {
        kind: 'passed',
        links: [],
        url,
        warning: `${asked.href}: skipped, because it answered ${status}.`,
      };
    }
    const kind = kindOf(response);
    if (!kind) return { kind: 'passed', links: [], url };
    const { etag, 'last-modified': lastModified } = headers;
    const base: KeptPage = { links: [], etag, lastModified, lastmod: more.lastmod };
    const tags = robotsTags(headers['x-robots-tag']);
    const text = textOf(response);
    return kind === 'markdown'
      ? markdown(url, text, base, tags, more.title)
      : html(url, text, base, tags);
  }

  async function html(url: URL, text: string, base: KeptPage, tags: Set<string>): Promise<Outcome> {
    const { baseUrl, basePath } = options;
    const input = { html: text, url: url.href, baseUrl, basePath };
    const read = await run.parse('html', input, { signal: run.signal });
    const robots = new Set([...tags, ...read.robots]);
    const links = robots.has('nofollow') || robots.has('none') ? [] : toUrls(read.links, url);
    const kept = { ...base, links: links.map(({ href }) => href) };
    if (robots.has('noindex') || robots.has('none')) return { kind: 'passed', kept, links, url };
    const { page } = read;
    if (!page) {
      const warning = `${url.href}: skipped, because it has no text without its scripts.`;
      return { kind: 'passed', links, url, warning };
    }
    const canonical = new URL(read.canonical);
    const hash = sha256(JSON.stringify([htmlReaderVersion, page]));
    return found({ url, canonical, path: page.path, hash, kept, links, read: () => page });
  }

  async function markdown(
    url: URL,
    text: string,
    base: KeptPage,
    tags: Set<string>,
    title: string | undefined,
  ): Promise<Outcome> {
    if (tags.has('noindex') || tags.has('none'))
      return { kind: 'passed', kept: base, links: [], url };
    const shown = readersUrl(url);
    const path = pathOfUrl(shown, options);
    const file = joinFile(decodePercent(url.pathname));
    const input = { file, markdown: text, path, title };
    const hash = sha256(JSON.stringify([hashPage(input), shown.href]));
    const read = async () => ({ ...(await readMarkdown(input, run)), url: shown.href });
    return found({ url, canonical: shown, path, hash, kept: base, links: [], read });
  }

  async function found(one: {
    url: URL;
    canonical: URL;
    path: string;
    hash: string;
    kept: KeptPage;
    links: URL[];
    read: SourcePage['read'];
  }): Promise<Outcome> {
    const { url, canonical, path, hash, links } = one;
    const known = { path, hash, from: url.href };
    // Read now, so that the text of a large site isn't kept in memory.
    const modified = dayOf(one.kept.lastmod);
    const read = run.isHeld(path, hash)
      ? undefined
      : { ...(modified !== undefined && { modified }), ...(await one.read()) };
    const page = read ? { ...known, read: () => read } : unchangedPage(known);
    const isOwn = canonical.href === url.href;
    const kept = { ...one.kept, path, hash, ...(!isOwn && { canonical: canonical.href }) };
    return { kind: 'page', page, kept, links, url, canonical };
  }
}

function toUrls(links: readonly string[], base: URL): URL[] {
  const urls = links.map((link) => pageAddress(link, base)).filter((url) => url !== undefined);
  return [...new Map(urls.map((url) => [url.href, url])).values()];
}

function kindOf({ headers, url }: WebResponse): 'html' | 'markdown' | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'text/markdown' || type === 'text/x-markdown') return 'markdown';
  const isMarkdown = /\.(mdx?|markdown)$/i.test(url.pathname);
  return isMarkdown && /^(text\/plain|application\/octet-stream|)$/.test(type)
    ? 'markdown'
    : undefined;
}

/** Decodes the body in the encoding that the server or the page names, or in UTF-8. */
function textOf({ headers, body }: WebResponse): string {
  const named = /charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1];
  const inside = /<meta[^>]+charset=["']?([\w-]+)/i.exec(body.toString('latin1', 0, 2048))?.[1];
  try {
    return new TextDecoder(named ?? inside ?? 'utf-8').decode(body);
  } catch {
    return new TextDecoder().decode(body); // An encoding that nobody knows.
  }
}

/** Reads `noindex, nofollow`, also with our name: `docent: noindex`. */
function robotsTags(header: string | string[] | undefined): Set<string> {
  const values = [header ?? []].flat().flatMap((one) => one.toLowerCase().split(','));
  return new Set(
    values.flatMap((value) => {
      const colon = value.indexOf(':');
      const tag = /^[\w-]+/.exec(value.slice(colon + 1).trimStart())?.[0];
      const isForUs = colon < 0 || value.slice(0, colon).trim() === 'docent';
      return tag !== undefined && isForUs ? [tag] : [];
    }),
  );
}
