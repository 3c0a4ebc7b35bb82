/** `vite build`: builds this documentation as a static site in `dist`. */
import { defineConfig } from 'vite';
import config from './docent.config.ts';
import { siteConfig } from './site.ts';

const { DOCS_FOLDER, DOCENT_URL, DOCENT_SITE, DOCENT_KEY } = process.env;

export default defineConfig(
  siteConfig({
    docsFolder: DOCS_FOLDER ?? new URL('docs', import.meta.url).pathname,
    siteName: config.sites[0]?.name ?? 'Documentation',
    ...(DOCENT_URL && DOCENT_SITE && DOCENT_KEY
      ? { docent: { url: DOCENT_URL, site: DOCENT_SITE, key: DOCENT_KEY } }
      : {}),
  }),
);
