/** Renders a parsed page to HTML with the same anchors as the index, and lists its headings. */
import type { Element, ElementContent, Root } from 'hast';
import type { Root as MarkdownRoot } from 'mdast';
import rehypeRaw from 'rehype-raw';
import rehypeStringify from 'rehype-stringify';
import remarkRehype from 'remark-rehype';
import { unified } from 'unified';
import { SKIP, visit } from 'unist-util-visit';
import { codeBlock } from './code-blocks.ts';
import { element, rehypeComponents } from './components.ts';
import { headingText, rehypeHeadingIds } from './heading-ids.ts';
import { jsxHandlers } from './jsx.ts';
import type { Link, ResolveLink } from './links.ts';
import type { ParsedPage } from './parse-page.ts';

export interface Heading {
  id: string;
  text: string;
  depth: number;
}

export interface RenderedPage extends Omit<ParsedPage, 'tree'> {
  html: string;
  /** The page's title as HTML, and its ID. */
  heading: { html: string; id: string };
  headings: Heading[];
  /** All anchors of the page. */
  ids: Set<string>;
  links: Link[];
}

const toTree = unified()
  .use(remarkRehype, { allowDangerousHtml: true, handlers: jsxHandlers })
  .freeze();
const raw = unified().use(rehypeRaw).freeze();
const finish = unified().use(rehypeComponents).use(rehypeHeadingIds).freeze();
const writer = unified().use(rehypeStringify).freeze();

export function renderPage(page: ParsedPage, resolve: ResolveLink): RenderedPage {
  closeComponents(page.tree);
  let tree: Root = toTree.runSync(page.tree);
  if (hasRaw(tree)) tree = raw.runSync(tree);
  tree = finish.runSync(tree) as Root;

  const heading = takeTitle(tree, page);
  const ids = new Set<string>();
  const links: Link[] = [];
  const headings: Heading[] = [];
  visit(tree, 'element', (node) => {
    const { id, href, src } = node.properties;
    if (typeof id === 'string') {
      ids.add(id);
      const depth = Number(/^h([1-6])$/.exec(node.tagName)?.[1]);
      if (depth) headings.push({ id, text: headingText(node), depth });
    }
    if (node.tagName === 'a' && typeof href === 'string') node.properties['href'] = follow(href);
    if (typeof src === 'string') node.properties['src'] = follow(src);
    if (node.tagName === 'img') node.properties['loading'] = 'lazy';
  });
  visit(tree, 'element', (node, index, parent) => {
    const wrapped = wrap(node);
    if (!wrapped || !parent || index === undefined) return undefined;
    parent.children[index] = wrapped;
    return SKIP;
  });
  if (heading.id) ids.add(heading.id);
  const { tree: _, ...facts } = page;
  return { ...facts, html: writer.stringify(tree), heading, headings, ids, links };

  function follow(href: string): string {
    const link = resolve(page, href);
    links.push(link);
    return link.href;
  }
}

/** In plain Markdown, `<Snippet … />` is HTML, which has no self-closing components. */
function closeComponents(tree: MarkdownRoot): void {
  visit(tree, 'html', (node) => {
    node.value = node.value.replace(
      /<([A-Z][\w.]*)((?:"[^"]*"|'[^']*'|[^<>"'])*)\/>/g,
      '<$1$2></$1>',
    );
  });
}

function hasRaw(tree: Root): boolean {
  let found = false;
  visit(tree, 'raw', () => {
    found = true;
  });
  return found;
}

/** Removes a first heading that repeats the title, because the template adds the title. */
function takeTitle(tree: Root, page: ParsedPage): RenderedPage['heading'] {
  const index = tree.children.findIndex((node) => node.type === 'element');
  const first = tree.children[index];
  if (first?.type === 'element' && first.tagName === 'h1') {
    if (headingText(first) === page.title) {
      tree.children.splice(index, 1);
      const html = writer.stringify({ type: 'root', children: first.children });
      return { html, id: String(first.properties['id'] ?? '') };
    }
  }
  // Only the title is an h1. Other h1 headings keep their anchors.
  visit(tree, 'element', (node) => {
    if (node.tagName === 'h1') node.tagName = 'h2';
  });
  const title: ElementContent = { type: 'text', value: page.title };
  return { html: writer.stringify({ type: 'root', children: [title] }), id: '' };
}

/** The wrapper that an element needs, if any. */
function wrap(node: Element): Element | undefined {
  if (/^h[2-6]$/.test(node.tagName) && node.properties['id']) {
    const id = String(node.properties['id']);
    const label = `Link to “${headingText(node)}”`;
    const anchor = element('a', { className: ['anchor'], href: `#${id}`, ariaLabel: label }, []);
    return element('div', { className: ['heading', node.tagName] }, [node, anchor]);
  }
  if (node.tagName === 'table') {
    const properties = { className: ['table'], tabIndex: 0, role: 'group', ariaLabel: 'Table' };
    return element('div', properties, [node]);
  }
  if (node.tagName === 'pre') return codeBlock(node);
  return undefined;
}
