/** Markdown of agents and strangers as markup: raw HTML becomes text, links lead to the web or nowhere. */
import type { Element, ElementContent, Root } from 'hast';
import type { Root as MarkdownRoot, RootContent } from 'mdast';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import rehypeStringify from 'rehype-stringify';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';
import { type Html, trusted } from './html.ts';

export interface MarkdownOptions {
  /** Sets the ids of one text apart from those of others on the page. */
  prefix: string;
  /** What the highest heading becomes. */
  firstHeading?: 2 | 3 | 4;
  /** A line break stays one, as in messages and in pull requests; in pages of documentation it is a space. */
  breaks?: boolean;
}

const mostCharacters = 200_000;

const schema = {
  ...defaultSchema,
  protocols: { href: ['http', 'https'] },
  attributes: { ...defaultSchema.attributes, code: [] },
  tagNames: defaultSchema.tagNames?.filter((name) => name !== 'img' && name !== 'picture'),
};

export function renderMarkdown(text: string, options: MarkdownOptions): Html {
  const { prefix, firstHeading = 3, breaks = false } = options;
  const rendered = unified()
    .use(remarkParse)
    .use(remarkGfm)
    .use(() => htmlAsText)
    .use(() => (tree: MarkdownRoot) => {
      if (breaks) keepBreaks(tree);
    })
    .use(remarkRehype, { clobberPrefix: `${prefix}-` })
    .use(rehypeSanitize, { ...schema, clobberPrefix: '' })
    .use(() => (tree: Root) => {
      plainLinks(tree);
      headingsFrom(tree, firstHeading);
    })
    .use(rehypeStringify)
    .processSync(withoutFrontmatter(text.slice(0, mostCharacters)));
  return trusted(String(rendered));
}

/** The reader sees what was written, and the browser does not. */
function htmlAsText(tree: MarkdownRoot): void {
  eachParent(tree, (children) => {
    for (const [index, child] of children.entries()) {
      if (child.type !== 'html') continue;
      // Comments are notes for whoever edits a template.
      const value = child.value.replaceAll(/<!--[\s\S]*?-->/g, '');
      children[index] = { type: 'text', value };
    }
  });
}

function keepBreaks(tree: MarkdownRoot): void {
  eachParent(tree, (children) => {
    const kept = children.flatMap((child): RootContent[] =>
      child.type === 'text'
        ? child.value
            .split('\n')
            .flatMap((value, index): RootContent[] => [
              ...(index > 0 ? [{ type: 'break' } as const] : []),
              { type: 'text', value },
            ])
        : [child],
    );
    children.splice(0, children.length, ...kept);
  });
}

function eachParent(node: MarkdownRoot | RootContent, visit: (children: RootContent[]) => void) {
  if (!('children' in node)) return;
  visit(node.children as RootContent[]);
  for (const child of node.children) eachParent(child, visit);
}

/** Only full addresses lead somewhere from here; pictures would tell their host who looks. */
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

/** No level is left out, wherever the text began. */
function headingsFrom(tree: Root, first: number): void {
  let highest: number | undefined;
  let last = first - 1;
  const visit = (node: Root | Element) => {
    for (const child of node.children) {
      if (child.type !== 'element') continue;
      const level = Number(/^h([1-6])$/.exec(child.tagName)?.[1]);
      if (level) {
        highest = Math.min(highest ?? level, level);
        last = Math.min(first + level - highest, last + 1, 6);
        child.tagName = `h${last}`;
      }
      visit(child);
    }
  };
  visit(tree);
}
