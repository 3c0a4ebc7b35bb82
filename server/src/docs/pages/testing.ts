/** Sites for tests that read single pages. */
import { withOwnerSettings, plainLayout } from '../generators/layout.ts';
import { createSitePages, type SitePages } from '../generators/site-pages.ts';

/** A folder of plain Markdown that starts at `basePath`. */
export function plainSite(basePath: string): SitePages {
  return createSitePages(withOwnerSettings(plainLayout(), { basePath }), [], () => false);
}
