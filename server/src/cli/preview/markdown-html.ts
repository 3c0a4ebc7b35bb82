/** Writes untrusted Markdown as HTML, in a worker: raw HTML becomes text, and only links to the web stay links. */
import type { Element, ElementContent, Root } from 'hast';
import type { Root as MarkdownRoot, RootContent } from 'mdast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';
import { findCode } from '../../docs/includes/code-ranges.ts';
import { markup } from './html.ts';

export interface MarkdownText {
  text: string;
  /** Keeps ids unique on a page with several texts. */
  prefix: string;
}

const maxCharacters = 200_000;

const schema = {
  ...defaultSchema,
  protocols: { href: ['http', 'https'] },
  attributes: { ...defaultSchema.attributes, code: [] },
  tagNames: defaultSchema.tagNames?.filter((name) => name !== 'img' && name !== 'picture'),
};

/** What the parser or the writer would take too long for, or too much memory, stays as it was written. */
export function writeMarkdown({ text: whole, prefix }: MarkdownText): string {
  const text = withoutFrontmatter(whole.slice(0, maxCharacters));
  if (isTooComplex(text)) return markup`<pre>${text}</pre>`.text;
  const rendered = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(() => htmlAsText)
    .use(remarkRehype, { clobberPrefix: `${prefix}-` })
    .use(rehypeSanitize, { ...schema, clobberPrefix: '' })
    .use(() => (tree: Root) => {
      plainLinks(tree);
      renumberHeadings(tree);
    })
    .use(rehypeStringify)
    .processSync(text);
  return String(rendered);
}

/** Short rows of a table are filled up, so a few bytes can mean thousands of cells. */
const maxCells = 50_000;
/** Marks of emphasis and links in one paragraph, whose pairs are looked for: the time grows with the square. */
const maxMarks = 2_000;
/** Quotes and lists in each other. */
const maxDepth = 50;

function isTooComplex(text: string): boolean {
  const code = findCode(text);
  let [columns, cells, marks, start] = [0, 0, 0, 0];
  for (const line of text.split('\n')) {
    const isCode = code.hasBlock(start);
    start += line.length + 1;
    if (isCode) continue;
    const opening = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))*/.exec(line.slice(0, 2_000))?.[0] ?? '';
    const depth = opening.replaceAll(/\d+/g, '').replaceAll(/[ \t]/g, '').length;
    const indentation = (/^[ \t]*/.exec(line)?.[0] ?? '').length / 2;
    if (depth > maxDepth || indentation > maxDepth * 2) return true;
    if (line.trim() === '') [columns, marks] = [0, 0];
    if (/^[\s|:>-]+$/.test(line)) columns = Math.max(columns, line.split('|').length);
    cells += columns;
    marks += line.replaceAll(/[^*_~[\]`]/g, '').length;
    if (cells > maxCells || marks > maxMarks) return true;
  }
  return false;
}

/** Shows raw HTML as text. */
function htmlAsText(tree: MarkdownRoot): void {
  eachParent(tree, (children) => {
    for (const [index, child] of children.entries()) {
      if (child.type !== 'html') continue;
      // Comments are for people who edit a template.
      const value = child.value.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '');
      children[index] = { type: 'text', value };
    }
  });
}

function eachParent(node: MarkdownRoot | RootContent, visit: (children: RootContent[]) => void) {
  if (!('children' in node)) return;
  visit(node.children as RootContent[]);
  for (const child of node.children) eachParent(child, visit);
}

/** Keeps only links with a full address: relative ones would lead into the service. */
function plainLinks(node: Root | Element): void {
  node.children = (node.children as ElementContent[]).flatMap((child): ElementContent[] => {
    if (child.type !== 'element') return [child];
    plainLinks(child);
    if (child.tagName !== 'a') return [child];
    const { href } = child.properties;
    if (typeof href !== 'string' || !/^https?:\/\//i.test(href)) return child.children;
    child.properties = { href, rel: ['noopener', 'noreferrer', 'nofollow'] };
    return [child];
  });
}

/** The highest level of the page's own sections is 2. */
const firstLevel = 3;

/** Headings start at the first level, and no level is skipped. */
function renumberHeadings(tree: Root): void {
  let highest: number | undefined;
  let last = firstLevel - 1;
  const visit = (node: Root | Element) => {
    for (const child of node.children) {
      if (child.type !== 'element') continue;
      const level = Number(/^h([1-6])$/.exec(child.tagName)?.[1]);
      if (level) {
        highest = Math.min(highest ?? level, level);
        last = Math.min(firstLevel + level - highest, last + 1, 6);
        child.tagName = `h${last}`;
      }
      visit(child);
    }
  };
  visit(tree);
}
