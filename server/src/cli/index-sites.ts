import type { Parts } from '../parts.ts';
import { type IndexReport, indexSite } from '../ingest/index-site.ts';
import { createProgressBar } from './progress.ts';

type IndexParts = Pick<Parts, 'config' | 'retriever' | 'sites'>;

/** Reads the documentation of one site, or of all, and says what changed. Ctrl+C leaves the index as it was. */
export async function indexSites(parts: IndexParts, domain?: string): Promise<void> {
  const sites = domain === undefined ? parts.config.sites : [parts.sites.named(domain)];
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once('SIGINT', onInterrupt);
  try {
    for (const site of sites) {
      const bar = createProgressBar(`Indexing ${site.domain}`);
      const report = await indexSite({
        domain: site.domain,
        docs: site.docs,
        retriever: parts.retriever,
        signal: stop.signal,
        onProgress: ({ done, total, path }) => bar.update({ done, total, at: path }),
      }).finally(() => bar.clear());
      for (const warning of report.warnings) console.warn(`  ! ${warning}`);
      console.log(describe(site.domain, report));
    }
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

function describe(domain: string, report: IndexReport): string {
  const { pages, added, changed, unchanged, removed, passages, seconds } = report;
  const count = (number: number, thing: string) => `${number} ${thing}${number === 1 ? '' : 's'}`;
  return `${domain}: ${count(pages, 'page')} (${added} new, ${changed} changed, ${unchanged} unchanged, ${removed} removed), ${count(passages, 'passage')} written in ${seconds.toFixed(1)} s`;
}
