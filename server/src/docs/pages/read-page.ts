import type { Page } from '../../retrieval/retriever.ts';
import { toBlocks } from './blocks.ts';
import { pageFields, readFrontmatter } from '../markdown/frontmatter.ts';
import { plainLayout } from '../generators/layout.ts';
import { parsePage } from '../generators/parse-page.ts';
import { splitLink, withoutOrder } from '../generators/paths.ts';
import { createSitePages, type SitePages } from '../generators/site-pages.ts';
import type { Expanded } from '../includes/expand.ts';
import type { Line } from '../includes/pieces.ts';
import { definitionsIn } from '../markdown/nodes.ts';
import { hashPage } from './page-hash.ts';
import { toPassages } from './passages.ts';

export interface PageFile {
  /** Path below the docs folder, with `/`: `guides/start.mdx`. */
  file: string;
  markdown: string;
  /** The text with the files that it includes. */
  included?: Pick<Expanded, 'text' | 'lines'> | undefined;
  /** Path on the site, if it does not follow from the file. */
  path?: string;
  /** Known from elsewhere. The frontmatter of the file has priority. */
  title?: string | undefined;
  description?: string | undefined;
  /** The site of the file. Without it, the file belongs to a folder of plain Markdown. */
  site?: SitePages;
  /** The file as `site` knows it. */
  siteFile?: string;
  onWarning?: (warning: string) => void;
}

const plainSite = createSitePages(plainLayout(), [], () => false);

/** Reads one Markdown or MDX file. */
export function readPage(input: PageFile): Page {
  const { file, markdown, site = plainSite, siteFile = file } = input;
  const frontmatter = readFrontmatter(markdown);
  const front = pageFields(frontmatter);
  if (frontmatter.problem) {
    const { line, reason } = frontmatter.problem;
    input.onWarning?.(`${file}:${line}: the frontmatter is not YAML and was ignored: ${reason}`);
  }
  const { text, lines } = input.included ?? { text: markdown, lines: undefined };
  const parsed = parsePage(text, file, site.layout.anchors, lines);
  if (parsed.problem) {
    const line = parsed.problem.line === undefined ? '' : `:${parsed.lineOf(parsed.problem.line)}`;
    input.onWarning?.(
      `${file}${line}: read as plain Markdown, because it is not valid MDX: ${parsed.problem.reason}`,
    );
  }
  const children = parsed.tree.children ?? [];
  const blocks = toBlocks(children, {
    markdown: parsed.markdown,
    definitions: definitionsIn(children),
    linkOf(url, kind, node) {
      const from = linksFrom(url, parsed.originOf(node.position?.start.line ?? 0)) ?? siteFile;
      return kind === 'image' ? site.imageFrom(url, from) : site.linkFrom(url, from);
    },
  });

  /** An included document may have links of its own. Addresses are those of the page, unless it's one too. */
  function linksFrom(url: string, { from, hasOwnLinks }: Line): string | undefined {
    if (from === undefined || !hasOwnLinks) return undefined;
    const isFile = /\.\w+$/.test(splitLink(url).path);
    return isFile || site.locationOf(from) ? from : undefined;
  }

  const firstTitle = blocks.find((block) => block.kind === 'heading' && block.depth === 1)?.text;
  const title = front.title ?? (input.title || undefined) ?? firstTitle ?? titleFromFile(file);
  const description = front.description ?? input.description;
  const passages = toPassages(blocks, title);
  if (passages.length === 0) {
    // Readers may look for a page that only has a title.
    const text = description ?? title;
    passages.push({ anchor: '', heading: title, headingPath: [], markdown: text, text, code: '' });
  }
  return {
    path: input.path ?? site.pathOf(siteFile, front),
    title,
    ...(description === undefined ? {} : { description }),
    ...(front.modified === undefined ? {} : { modified: front.modified }),
    markdown: blocks.map((block) => block.markdown).join('\n\n'),
    ...(front.version === undefined ? {} : { version: front.version }),
    ...(front.language === undefined ? {} : { language: front.language }),
    ...(front.groups === undefined ? {} : { groups: front.groups }),
    ...(front.tags === undefined ? {} : { tags: front.tags }),
    hash: hashPage(input),
    passages,
  };
}

function titleFromFile(file: string): string {
  const parts = file.replace(/\.\w+$/, '').split('/');
  const last = parts.pop() ?? '';
  const name = /^(index|readme)$/i.test(last) ? (parts.pop() ?? 'Home') : last;
  const words = withoutOrder(name).replaceAll(/[-_]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
