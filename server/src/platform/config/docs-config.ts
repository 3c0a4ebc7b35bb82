/** Where a site's documentation comes from, and how its pages are addressed. */
import { z } from 'zod';
import {
  count,
  flag,
  list,
  matching,
  privateHosts,
  text,
  variable,
  webAddress,
  write,
} from './fields.ts';

const globs = (what: string) =>
  z.array(z.string().min(1), write(`a list of globs, such as ["${what}"]`));

/** Settings of every source. */
const common = {
  /** The prefix of the paths of the source's pages. */
  basePath: z
    .string(write('a path, such as "/docs"'))
    .startsWith('/', write('a path that starts with "/", such as "/docs"'))
    .optional(),
  /** Reads only what matches: files of a folder or repository, or paths of pages on the web. */
  include: globs('guides/**').optional(),
  exclude: globs('drafts/**').optional(),
  /** For pages that don't say it themselves. */
  version: z.string(write('a version, such as "2"')).min(1).optional(),
  language: z.string(write('a language, such as "en"')).min(1).optional(),
  groups: z.array(z.string().min(1), write('a list of groups')).optional(),
  tags: z.array(z.string().min(1), write('a list of tags')).optional(),
};

/** A duration such as "30m": minutes, hours or days. */
const every = matching(
  /^[1-9]\d{0,3}[mhd]$/,
  'minutes, hours or days, such as "30m", "1h" or "1d"',
);

const generators = [
  'docusaurus',
  'vitepress',
  'vuepress',
  'starlight',
  'mkdocs',
  'mdbook',
  'nextra',
  'fumadocs',
  'nuxt',
  'docsify',
  'mintlify',
  'plain',
] as const;
export type Generator = (typeof generators)[number];

/** What builds the site from the files. By default, its own settings tell. */
const generator = z
  .enum(generators, write('a generator, such as "docusaurus", "mkdocs" or "plain"'))
  .optional();

const FolderSource = z.strictObject({
  type: z.literal('folder'),
  ...common,
  generator,
  /** Folder of Markdown and MDX files, relative to the configuration file. */
  folder: text('the folder of the Markdown files, such as "./docs"'),
});

const HtmlSource = z.strictObject({
  type: z.literal('html'),
  ...common,
  /** Folder of a built site, relative to the configuration file. */
  folder: text('the folder of the built site, such as "./public"'),
  /** The folder that it's built from, in a checkout of the repository, so that jobs know the file of a page. */
  sources: text('the folder of the sources, such as "./docs"').optional(),
});

/** Settings of every source on the web. */
const web = {
  ...common,
  /** Stops after so many pages. */
  maxPages: count('the maximum number of pages, such as 5000').default(5_000),
  /** Set it to `false` only for a site of your own that keeps crawlers out. */
  respectRobots: flag(true),
};

const SitemapSource = z.strictObject({
  type: z.literal('sitemap'),
  ...web,
  url: webAddress('https://docs.example.com/sitemap.xml', { keepSlash: true }),
});

const CrawlSource = z.strictObject({
  type: z.literal('crawl'),
  ...web,
  /** Where the crawl starts. It reads only pages below this address. */
  url: webAddress('https://docs.example.com/', { keepSlash: true }),
  /** How many links away from the start a page may be. */
  maxDepth: count('how many links from the start, such as 20').default(20),
});

const LlmsSource = z.strictObject({
  type: z.literal('llms'),
  ...web,
  url: webAddress('https://docs.example.com/llms.txt', { keepSlash: true }),
});

const GitSource = z.strictObject({
  type: z.literal('git'),
  ...common,
  generator,
  /** Address of the repository, or the path of one on this machine, relative to the configuration file. */
  url: text('the address of a repository, such as "https://github.com/acme/docs.git"')
    .refine((value) => !/\/\/[^/]*:[^/]*@/.test(value), {
      error: 'has a password in it; name an environment variable that holds it in "tokenEnv"',
    })
    .refine((value) => !value.startsWith('-'), write('an address that does not start with "-"')),
  /** Branch or tag. The default is the repository's. */
  ref: matching(/^(?!-)[\w./@+-]+$/, 'a branch or tag, such as "main"').optional(),
  /** Folder of the documentation in the repository. */
  folder: z.string(write('a folder of the repository, such as "docs"')).default(''),
  /** The variable with a token that may read the repository. */
  tokenEnv: variable.optional(),
  /** The user name for the token. GitHub and GitLab take any, Bitbucket takes `x-token-auth`. */
  username: z.string(write('a user name')).min(1).default('x-access-token'),
});

const OpenApiSource = z.strictObject({
  type: z.literal('openapi'),
  ...common,
  /** The document, JSON or YAML: a file relative to the configuration file, or an address. */
  document: text('a file or address, such as "./openapi.yaml"'),
  /**
   * How the reference shows operations: one page each (`pages`); all on the page at `basePath`, as in
   * Redoc, Swagger UI, Scalar, and Stoplight; or a text with placeholders.
   */
  layout: z
    .string(write('a layout, such as "pages" or "redoc"'))
    .regex(
      /^(pages|redoc|swagger-ui|scalar|stoplight|[/#].*\{.+)$/,
      write(
        '"pages", "redoc", "swagger-ui", "scalar", "stoplight", or a text such as "#{operationId}"',
      ),
    )
    .default('pages'),
});

const kinds =
  'the kind of source: "folder", "html", "git", "sitemap", "crawl", "llms" or "openapi"';

/** A place to read pages from. */
export const SourceConfig = z.discriminatedUnion(
  'type',
  [FolderSource, HtmlSource, GitSource, SitemapSource, CrawlSource, LlmsSource, OpenApiSource],
  write(kinds),
);
export type SourceConfig = z.infer<typeof SourceConfig>;
export type SourceOf<Type extends SourceConfig['type']> = Extract<SourceConfig, { type: Type }>;

export const DocsConfig = z
  .strictObject({
    /** The usual source in short: a folder of Markdown and MDX files. */
    folder: text('the folder of the Markdown files, such as "./docs"').optional(),
    /** Globs relative to the folder. Reads only these files. */
    include: common.include,
    /** Globs relative to the folder. Skips these files. */
    exclude: common.exclude,
    /** More places. If two have a page with the same path, the first one counts. */
    sources: list('a list of sources', SourceConfig),
    /** How often `docent serve` reads the sources again. By default, only on request. */
    every: every.optional(),
    /** Hosts of your own network that sources may be on. By default, only the public Internet. */
    allowPrivateHosts: privateHosts,
    /** Address of the site. Without it, links of sources start at the root of the site that shows them. */
    baseUrl: webAddress('https://docs.example.com').optional(),
    /** Where the pages of folders and repositories begin on the site. */
    basePath: common.basePath,
    generator,
    /** How the site spells a page's path: `/a/b`, `/a/b/` or `/a/b.html`. */
    pathStyle: z.enum(['clean', 'slash', 'html'], write('"clean", "slash" or "html"')).optional(),
  })
  .superRefine((docs, context) => {
    if (docs.folder === undefined && docs.sources.length === 0) {
      context.addIssue({
        code: 'custom',
        path: ['folder'],
        message:
          'is missing; write the folder of the Markdown files, such as "./docs", or "sources"',
      });
    }
  });
export type DocsConfig = z.infer<typeof DocsConfig>;

/** All sources of a site, the short form first. */
export function sourcesOf(docs: Pick<DocsConfig, 'folder' | 'include' | 'exclude' | 'sources'>) {
  const { folder, include, exclude } = docs;
  const short: SourceConfig[] =
    folder === undefined ? [] : [{ type: 'folder', folder, include, exclude }];
  return [...short, ...docs.sources];
}
