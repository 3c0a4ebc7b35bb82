import { z } from 'zod';
import { webAddress, write } from './fields.ts';

/** Where a site's documentation comes from, and how its pages are addressed. */
export const DocsConfig = z.strictObject({
  /** Folder of Markdown and MDX files, relative to the configuration file. */
  folder: z
    .string(write('the folder of the Markdown files, such as "./docs"'))
    .min(1, write('the folder of the Markdown files, such as "./docs"')),
  /** Address of the site; without it the links of sources start at the root of whatever site shows them. */
  baseUrl: webAddress('https://docs.example.com').optional(),
  /** Where the folder's pages begin on the site. */
  basePath: z
    .string(write('a path, such as "/docs"'))
    .startsWith('/', write('a path that starts with "/", such as "/docs"'))
    .default('/'),
  /** How the site spells a page's path: `/a/b`, `/a/b/` or `/a/b.html`. */
  pathStyle: z
    .enum(['clean', 'slash', 'html'], write('"clean", "slash" or "html"'))
    .default('clean'),
  /** Globs relative to the folder; only these files are read. */
  include: z.array(z.string()).optional(),
  /** Globs relative to the folder; these files are left out. */
  exclude: z.array(z.string()).optional(),
});
