/** How foreign documents are read: plain data in, plain data out, so that another thread can do it. */
import type { Page } from '../../retrieval/retriever.ts';
import { yamlObject } from '../generators/settings-text.ts';
import { openSitePages, type SiteFacts, type SitePages } from '../generators/site-pages.ts';
import { expandKnown, type IncludingPage } from '../includes/expand.ts';
import { readFrontmatter } from '../markdown/frontmatter.ts';
import { namesIn, readSiteTags } from '../markdown/html-tags.ts';
import { type PageFile, readPage } from '../pages/read-page.ts';
import { readOperations } from '../sources/openapi/operations.ts';
import { parseLlmsFull, parseLlmsLinks } from '../sources/llms-text.ts';
import { parseSitemap } from '../sources/sitemap-text.ts';
import { readHtmlPage } from '../web/html/read-html-page.ts';
import { readRobots } from '../web/robots.ts';

export const parseTasks = {
  frontmatter: readFrontmatter,
  yaml: yamlObject,
  includes: expandKnown,
  htmlNames: namesIn,
  siteTags: readSiteTags,
  robots: readRobots,
  markdown: readMarkdown,
  html: readHtmlPage,
  openApi: readOperations,
  llmsFull: parseLlmsFull,
  llmsLinks: parseLlmsLinks,
  sitemap: parseSitemap,
};

export interface MarkdownFile extends Omit<PageFile, 'site' | 'included' | 'onWarning'> {
  /** What the page includes. */
  including?: Omit<IncludingPage, 'page'> | undefined;
}

let last: { facts: SiteFacts; site: SitePages } | undefined;

function readMarkdown(
  { including, ...file }: MarkdownFile,
  facts?: SiteFacts,
): { page: Page; warnings: string[] } {
  // The pages of a site come one after the other.
  if (facts && last?.facts !== facts) last = { facts, site: openSitePages(facts) };
  const warnings: string[] = [];
  const included =
    including && expandKnown({ page: { file: file.siteFile ?? file.file, text: file.markdown }, ...including });
  const page = readPage({
    ...file,
    ...(included?.lines && { included }),
    ...(facts && last && { site: last.site }),
    onWarning: (warning) => void warnings.push(warning),
  });
  return { page, warnings };
}
