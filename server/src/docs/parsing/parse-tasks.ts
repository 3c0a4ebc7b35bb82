/** How foreign documents are read: plain data in, plain data out, so that another thread can do it. */
import type { Page } from '../../retrieval/retriever.ts';
import { readScript } from '../generators/read-script.ts';
import { tomlObject, yamlObject } from '../generators/settings-text.ts';
import { openSitePages, type SiteFacts, type SitePages } from '../generators/site-pages.ts';
import { expandPage } from '../includes/include-files.ts';
import { type PageFile, readPage } from '../pages/read-page.ts';
import { readOperations } from '../sources/openapi/operations.ts';
import { parseLlmsFull, parseLlmsLinks } from '../sources/llms-text.ts';
import { parseSitemap } from '../sources/sitemap-text.ts';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import { anchorsIn, attributesIn } from '../markdown/html-tags.ts';
import { readRobots } from '../web/robots.ts';
import { readHtmlPage } from '../web/html/read-html-page.ts';

export const parseTasks = {
  frontmatter: readFrontmatter,
  yaml: yamlObject,
  toml: tomlObject,
  script: readScript,
  markdown: readMarkdown,
  html: readHtmlPage,
  htmlAnchors: anchorsIn,
  htmlTags: attributesIn,
  openApi: readOperations,
  llmsFull: parseLlmsFull,
  llmsLinks: parseLlmsLinks,
  sitemap: parseSitemap,
  includes: expandPage,
  robots: readRobots,
};

export type MarkdownFile = Omit<PageFile, 'site' | 'onWarning'>;

let last: { facts: SiteFacts; site: SitePages } | undefined;

function readMarkdown(file: MarkdownFile, facts?: SiteFacts): { page: Page; warnings: string[] } {
  // The pages of a site come one after the other.
  if (facts && last?.facts !== facts) last = { facts, site: openSitePages(facts) };
  const warnings: string[] = [];
  const page = readPage({
    ...file,
    ...(facts && last && { site: last.site }),
    onWarning: (warning) => void warnings.push(warning),
  });
  return { page, warnings };
}
