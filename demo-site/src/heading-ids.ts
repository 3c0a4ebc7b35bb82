/**
 * Sets the anchors of headings by GitHub's rule, as the index does. Unlike `rehype-slug`, it includes
 * the alternative text of images in a heading.
 */
import GithubSlugger from 'github-slugger';
import type { Element, Nodes, Root } from 'hast';
import { visit } from 'unist-util-visit';

/** A rehype plugin. */
export function rehypeHeadingIds() {
  return (tree: Root): void => {
    const slugger = new GithubSlugger();
    visit(tree, 'element', (node) => {
      if (!isHeading(node) || node.properties['id']) return;
      const slug = slugger.slug(headingText(node));
      if (slug) node.properties['id'] = slug;
    });
  };
}

export function headingText(node: Nodes): string {
  return textOf(node).replace(/\s+/g, ' ').trim();
}

function isHeading(node: Element): boolean {
  return /^h[1-6]$/.test(node.tagName);
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (node.type === 'element' && node.tagName === 'img')
    return String(node.properties['alt'] ?? '');
  return 'children' in node ? node.children.map(textOf).join('') : '';
}
