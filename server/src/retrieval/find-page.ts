import type { SearchFilter } from '@docent/shared/assistant';
import { pathsOnSite } from './page-path.ts';
import type { Page, Retriever } from './retriever.ts';

/** The page at an address as readers have it in their address bar, which may start above the site. */
export async function findPage(
  retriever: Pick<Retriever, 'page'>,
  { domain, docs }: { domain: string; docs: { baseUrl?: string | undefined } },
  address: string,
  filter?: SearchFilter,
): Promise<Page | undefined> {
  for (const path of pathsOnSite(docs.baseUrl, address)) {
    const page = await retriever.page(domain, path, filter);
    if (page) return page;
  }
  return undefined;
}
