/** Reads a site's pages from Meilisearch and compares them with new ones. */
import type { Embedder } from '../embedder.ts';
import type { Page, PageChanges } from '../retriever.ts';
import { isComparable, type PassageVectors } from '../vectors.ts';
import type { MeilisearchClient } from './client.ts';
import {
  addressOf,
  oneOf,
  type PageDocument,
  vectorsOfDocument,
  type SiteNames,
} from './documents.ts';
import type { SiteState } from './site-state.ts';

const fetchedAtOnce = 200;
/** The timeout of a request for that many pages. */
const batchMs = 30_000;

const vectorFields = ['vectorKeys', 'vectors'] as const;

export type Known = (PassageVectors | undefined)[];

/** An indexed page in the current state. */
const heldFields = ['id', 'path', 'hash', 'passages'] as const;
export type HeldPage = Pick<PageDocument, (typeof heldFields)[number]>;

export interface SiteDeps {
  client: MeilisearchClient;
  names: SiteNames;
  embedder: Embedder | undefined;
  /** The folder for vectors of incomplete runs. */
  kept?: string | undefined;
}

export interface Difference {
  upsert: Page[];
  /** Page versions that become obsolete with this run. */
  replaced: HeldPage[];
}

export function createSiteReader({ client, names, embedder }: SiteDeps) {
  /** The current page documents. */
  async function* fetchPages<Fields extends keyof PageDocument>(
    state: SiteState,
    fields: readonly Fields[],
    limit: number,
    addresses?: string[],
  ): AsyncGenerator<Pick<PageDocument, Fields>> {
    const filter = [
      'kind = page',
      ...validFilter(state),
      ...(addresses ? [oneOf('address', addresses)] : []),
    ];
    for (let offset = 0; ; offset += limit) {
      const { results } = await client.request(
        (api) =>
          api
            .index<Pick<PageDocument, Fields>>(names.documents(state.documents))
            .getDocuments({ filter, fields: [...fields], offset, limit }),
        { timeoutMs: batchMs },
      );
      yield* results;
      if (results.length < limit) return;
    }
  }

  async function held(state: SiteState): Promise<HeldPage[]> {
    const pages: HeldPage[] = [];
    for await (const page of fetchPages(state, heldFields, 2000)) pages.push(page);
    return pages;
  }

  /** `undefined` if nothing differs. */
  async function difference(
    state: SiteState | undefined,
    changes: PageChanges,
  ): Promise<Difference | undefined> {
    const upsert = new Map(changes.upsert.map((page) => [addressOf(page.path), page]));
    const gone = new Set(changes.remove.map(addressOf));
    const replaced: HeldPage[] = [];
    const addresses = [...new Set([...upsert.keys(), ...gone])];
    for (let at = 0; state && at < addresses.length; at += fetchedAtOnce) {
      const some = addresses.slice(at, at + fetchedAtOnce);
      for await (const page of fetchPages(state, heldFields, some.length + 1, some)) {
        const address = addressOf(page.path);
        if (upsert.get(address)?.hash === page.hash) upsert.delete(address);
        else replaced.push(page);
      }
    }
    if (upsert.size === 0 && replaced.length === 0) return undefined;
    return { upsert: [...upsert.values()], replaced };
  }

  /** A page's stored vectors, if the embedder is the same. */
  function heldVectors(
    state: SiteState,
    page: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  ): PassageVectors | undefined {
    return state.embedder && embedder ? vectorsOfDocument(page, state.embedder) : undefined;
  }

  /** The vectors of replaced pages, because most of their passages are unchanged. */
  async function vectorsOf(state: SiteState, { replaced }: Difference): Promise<Known> {
    const known: Known = [];
    if (!embedder || !isComparable(state.embedder, embedder)) return known;
    for (let at = 0; at < replaced.length; at += fetchedAtOnce) {
      const some = replaced.slice(at, at + fetchedAtOnce);
      const addresses = some.map(({ path }) => addressOf(path));
      for await (const page of fetchPages(state, vectorFields, some.length + 1, addresses))
        known.push(heldVectors(state, page));
    }
    return known;
  }

  return {
    held,
    difference,
    heldVectors,
    vectorsOf,
    /** All current pages with all fields. */
    stored: (state: SiteState) =>
      fetchPages(state, ['id', 'json', 'markdown', ...vectorFields], fetchedAtOnce),
  };
}

/** Selects a state's documents among those of unfinished, failed, and earlier runs. */
export function validFilter(state: SiteState): string[] {
  const replaced = state.replaced.map(([page]) => page);
  return [
    oneOf('run', state.runs),
    ...(replaced.length > 0 ? [`NOT ${oneOf('page', replaced)}`] : []),
  ];
}
