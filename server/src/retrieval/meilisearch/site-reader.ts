/** What of a site lies in Meilisearch: the pages that one state counts as valid, and how others differ. */
import type { Embedder } from '../embedder.ts';
import type { Page, PageChanges } from '../retriever.ts';
import { isMadeBy } from '../vectors.ts';
import type { PassageVectors } from '../vectors.ts';
import type { MeilisearchClient } from './client.ts';
import { addressOf, vectorsOfDocument } from './documents.ts';
import type { PageDocument } from './documents.ts';
import { oneOf } from './filter.ts';
import type { SiteNames } from './names.ts';
import type { SiteState } from './site-state.ts';

const fetchedAtOnce = 200;
/** The timeout of a request for that many pages. */
const batchMs = 30_000;

/** What of a page goes over into a new index. */
type Kept = 'id' | 'json' | 'markdown' | 'vectorKeys' | 'vectors';

export type Known = (PassageVectors | undefined)[];

/** What is known of a page in the valid state. */
export type HeldPage = Pick<PageDocument, 'id' | 'path' | 'hash' | 'passages'>;

export interface Difference {
  upsert: Page[];
  /** Versions of pages that end with this run. */
  replaced: HeldPage[];
}

type Stored = Pick<PageDocument, Kept>;

export interface SiteReader {
  held(state: SiteState): Promise<HeldPage[]>;
  /** `undefined` where nothing differs. */
  difference(state: SiteState | undefined, changes: PageChanges): Promise<Difference | undefined>;
  /** All of each valid page. */
  stored(state: SiteState): AsyncGenerator<Stored>;
  /** Those that a page was written with, if they are still of use. */
  heldVectors(
    state: SiteState,
    page: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  ): PassageVectors | undefined;
  /** Vectors of the pages that are replaced: most of their passages have not changed. */
  vectorsOf(state: SiteState, changed: Difference): Promise<Known>;
}

export interface SiteReaderDeps {
  client: MeilisearchClient;
  names: SiteNames;
  embedder: Embedder | undefined;
}

export function createSiteReader({ client, names, embedder }: SiteReaderDeps): SiteReader {
  /** The documents that one state counts as valid. */
  async function* fetchPages<Fields extends keyof PageDocument>(
    state: SiteState,
    fields: Fields[],
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
            .getDocuments({ filter, fields, offset, limit }),
        { timeoutMs: batchMs },
      );
      yield* results;
      if (results.length < limit) return;
    }
  }

  async function held(state: SiteState): Promise<HeldPage[]> {
    return collect(fetchPages(state, ['id', 'path', 'hash', 'passages'], 2000));
  }

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
      const fields: (keyof HeldPage)[] = ['id', 'path', 'hash', 'passages'];
      for await (const page of fetchPages(state, fields, some.length + 1, some)) {
        const address = addressOf(page.path);
        if (upsert.get(address)?.hash === page.hash) upsert.delete(address);
        else replaced.push(page);
      }
    }
    if (upsert.size === 0 && replaced.length === 0) return undefined;
    return { upsert: [...upsert.values()], replaced };
  }

  function heldVectors(
    state: SiteState,
    page: Pick<PageDocument, 'vectorKeys' | 'vectors'>,
  ): PassageVectors | undefined {
    return state.embedder && embedder ? vectorsOfDocument(page, state.embedder) : undefined;
  }

  async function vectorsOf(state: SiteState, { replaced }: Difference): Promise<Known> {
    const known: Known = [];
    if (!embedder || !isMadeBy(state.embedder, embedder)) return known;
    for (let at = 0; at < replaced.length; at += fetchedAtOnce) {
      const some = replaced.slice(at, at + fetchedAtOnce);
      const fields: Kept[] = ['vectorKeys', 'vectors'];
      const addresses = some.map(({ path }) => addressOf(path));
      for await (const page of fetchPages(state, fields, some.length + 1, addresses))
        known.push(heldVectors(state, page));
    }
    return known;
  }

  return {
    held,
    difference,
    heldVectors,
    vectorsOf,
    stored: (state) =>
      fetchPages(state, ['id', 'json', 'markdown', 'vectorKeys', 'vectors'], fetchedAtOnce),
  };
}

/** What tells the valid documents of a state from those of runs that go on, failed, or came before. */
export function validFilter(state: SiteState): string[] {
  const replaced = state.replaced.map(([page]) => page);
  return [
    oneOf('run', state.runs),
    ...(replaced.length > 0 ? [`NOT ${oneOf('page', replaced)}`] : []),
  ];
}

async function collect<Item>(from: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of from) items.push(item);
  return items;
}
