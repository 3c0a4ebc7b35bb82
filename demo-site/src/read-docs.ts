/** Builds the index and the site from the documentation. */
import type { Config, Docent } from '@docent/server/docent';
import { build } from 'vite';
import { siteConfig } from '../site.ts';
import { createProgress } from './progress.ts';

type Site = Config['sites'][number];

const shownWarnings = 5;

/** Updates the index. Returns the number of pages. */
export async function indexAndSay(
  docent: Docent,
  site: Site,
  say: (line: string) => void,
): Promise<number> {
  const progress = createProgress('Reading pages', say);
  const report = await docent.services.indexer.index(site.domain, {
    // The site is built from the same folder, so it has as few pages.
    acceptFewer: true,
    onProgress: ({ done, total }) => progress.update(done, total),
  });
  const news = report.added + report.changed + report.removed;
  progress.finish(
    `Read ${report.pages} pages in ${report.seconds.toFixed(1)} s${news === 0 ? ' (no changes)' : ''}`,
  );
  return report.pages;
}

interface Assistant {
  docent: Docent;
  key: string;
  site: Site;
  say: (line: string) => void;
}

/** Builds the site with the assistant's script tag. */
export async function buildSite(
  docsFolder: string,
  siteName: string,
  outDir: string,
  { docent, key, site, say }: Assistant,
): Promise<void> {
  const started = performance.now();
  let warnings: string[] = [];
  const progress = createProgress('Building the site', say);
  await build({
    ...siteConfig({
      docsFolder,
      siteName,
      docent: { url: docent.url, site: site.domain, key },
      onProgress: (done, total) => progress.update(done, total),
      onBuilt: (built) => {
        warnings = built.warnings;
      },
    }),
    configFile: false,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, reportCompressedSize: false },
  });
  progress.finish(`Built the site in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  for (const warning of warnings.slice(0, shownWarnings)) say(`    ! ${warning}`);
  if (warnings.length > shownWarnings) {
    say(`    ! and ${warnings.length - shownWarnings} more warnings`);
  }
}
