/** Sites for tests that read single pages. */
import { withOwnerSettings, plainLayout } from '../src/docs/generators/layout.ts';
import { createSitePages, type SitePages } from '../src/docs/generators/site-pages.ts';

/** A folder of plain Markdown that starts at `basePath`. */
export function plainSite(basePath: string): SitePages {
  return createSitePages(withOwnerSettings(plainLayout(), { basePath }), [], () => false);
}
