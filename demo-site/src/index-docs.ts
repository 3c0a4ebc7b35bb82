import type { Config, Docent } from '@docent/server/docent';

export interface IndexReport {
  pages: number;
  added: number;
  changed: number;
  removed: number;
  seconds: number;
}

/** Brings the index up to what is in the site's folder. */
export async function indexDocs(
  docent: Docent,
  site: Config['sites'][number],
  onProgress: (done: number, total: number) => void,
): Promise<IndexReport> {
  // Stub until the service's indexing stands.
  void docent; void site; void onProgress;
  return { pages: 0, added: 0, changed: 0, removed: 0, seconds: 0 };
}
