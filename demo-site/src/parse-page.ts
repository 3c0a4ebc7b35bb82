/** Parses Markdown or MDX into a syntax tree, frontmatter, and a title. */
import { pageFields, readFrontmatter, withoutFrontmatter } from '@docent/server/frontmatter';
import { pathOfSlug } from '@docent/server/page-paths';
import type { Root } from 'mdast';
import { toString } from 'mdast-util-to-string';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { unified } from 'unified';
import { visit } from 'unist-util-visit';
import type { PageFile } from './page-files.ts';
import { remarkMdxTolerant } from './remark-mdx-tolerant.ts';

export interface ParsedPage extends PageFile {
  tree: Root;
  frontmatter: Frontmatter;
  /** From the frontmatter, the first heading, or the file name. */
  title: string;
  warnings: string[];
}

interface Frontmatter {
  title?: string;
  description?: string;
  /** A shorter name for the sidebar. */
  label?: string;
  /** The sidebar group, for pages in one folder. */
  section?: string;
  order?: number;
  /** The page's address, if it differs from the file's. */
  slug?: string;
  /** A draft or hidden page. It's not on the site and not in the index. */
  isHidden?: boolean;
}

const markdown = unified().use(remarkParse).use(remarkGfm).freeze();
const mdx = unified()
  .use(remarkParse)
  .use(remarkGfm)

  .use(remarkMdxTolerant)
  .freeze();

export function parsePage(source: string, page: PageFile): ParsedPage {
  const warnings: string[] = [];
  const tree = parseTree(withoutFrontmatter(source), page.file, warnings);
  const frontmatter = frontmatterOf(source, page.file, warnings);
  readHeadingIds(tree);
  const heading = tree.children.find((node) => node.type === 'heading' && node.depth === 1);
  const title =
    frontmatter.title ?? ((heading ? toString(heading).trim() : '') || titleFromPath(page.path));
  return { ...page, path: pathOf(page, frontmatter), tree, frontmatter, title, warnings };
}

function pathOf(page: PageFile, { slug }: Frontmatter): string {
  return slug === undefined ? page.path : pathOfSlug(page.file, '/', slug);
}

function parseTree(source: string, file: string, warnings: string[]): Root {
  const isMdx = file.toLowerCase().endsWith('.mdx');
  if (!isMdx && !hasComponents(source)) return markdown.parse(source);
  try {
    // Sites accept `## Title {#id}` and HTML comments, but MDX doesn't.
    const accepted = source
      .replace(/^(#{1,6} .*?)\{#([^\s}]+)\}[ \t]*$/gm, '$1\\{#$2\\}')
      .replace(/<!--[\s\S]*?-->/g, '');
    return withoutModuleLines(mdx.parse(accepted));
  } catch (error) {
    if (isMdx)
      warnings.push(`${file}: read as plain Markdown, because its MDX isn’t valid (${why(error)})`);
    return withoutModuleLines(markdown.parse(source));
  }
}

/** Some generators accept components in `.md` files too. */
function hasComponents(source: string): boolean {
  const withoutCode = source.replace(/^(```+|~~~+)[^]*?^\1/gm, '');
  return /^\s*<[A-Z][\w.]*[\s/>]/m.test(withoutCode);
}

/** Markdown reads `import … from '…'` as text. This removes it. */
function withoutModuleLines(tree: Root): Root {
  tree.children = tree.children.filter(
    (node) =>
      node.type !== 'paragraph' ||
      !/^(import\s[^]+from\s+['"]|import\s+['"]|export\s)/.test(toString(node)),
  );
  return tree;
}

function frontmatterOf(source: string, file: string, warnings: string[]): Frontmatter {
  const read = readFrontmatter(source);
  if (read.problem)
    warnings.push(`${file}: its frontmatter isn’t valid YAML (${read.problem.reason})`);
  const { title, description, slug, isHidden } = pageFields(read);
  const data = read.data ?? {};
  const label = text(data['sidebar_label'] ?? data['sidebarTitle']);
  const section = text(data['section']);
  const order = data['order'] ?? data['sidebar_position'] ?? data['nav_order'];
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(label !== undefined && { label }),
    ...(section !== undefined && { section }),
    ...(slug !== undefined && { slug }),
    ...(isHidden && { isHidden }),
    ...(typeof order === 'number' && { order }),
  };
}

/** In `## Title {#id}`, the ID isn't part of the text. */
function readHeadingIds(tree: Root): void {
  visit(tree, 'heading', (heading) => {
    const last = heading.children.at(-1);
    if (last?.type !== 'text') return;
    const match = /\s*\{#([^\s}]+)\}\s*$/.exec(last.value);
    if (!match?.[1]) return;
    last.value = last.value.slice(0, match.index);
    heading.data = { ...heading.data, hProperties: { id: match[1] } };
  });
}

/** `/04-ai-sdk-ui/02-chat_bot` becomes `Chat bot`. */
export function titleFromPath(path: string): string {
  const name = path.split('/').at(-1) ?? '';
  const words = name
    .replace(/^\d+[-_. ]+/, '')
    .replace(/[-_]+/g, ' ')
    .trim();
  return words ? words.charAt(0).toUpperCase() + words.slice(1) : 'Home';
}

function text(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() ? value.trim() : undefined;
}

function why(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
