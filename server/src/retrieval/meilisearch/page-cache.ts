import type { Page } from '../retriever.ts';

export interface PageCache {
  has(id: string): boolean;
  get(id: string): Page | undefined;
  set(id: string, page: Page, length: number): void;
}

/** In characters of JSON. */
const mostLength = 32_000_000;

/** The pages asked for last. Their ids name one version each, so nothing in it can be out of date. */
export function createPageCache(): PageCache {
  const pages = new Map<string, { page: Page; length: number }>();
  let total = 0;
  return {
    has: (id) => pages.has(id),
    get(id) {
      const found = pages.get(id);
      if (!found) return undefined;
      pages.delete(id);
      pages.set(id, found);
      return found.page;
    },
    set(id, page, length) {
      if (length > mostLength / 10) return;
      total += length - (pages.get(id)?.length ?? 0);
      pages.set(id, { page, length });
      for (const [oldest, { length: freed }] of pages) {
        if (total <= mostLength) return;
        pages.delete(oldest);
        total -= freed;
      }
    },
  };
}
