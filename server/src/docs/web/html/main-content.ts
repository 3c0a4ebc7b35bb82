/** Finds what a page says among what stands on every page, and takes the rest away. */
import type { Element, Root } from 'hast';
import {
  childrenOf,
  classesOf,
  findAll,
  hasClass,
  isElement,
  isTag,
  property,
  textOf,
  type HtmlNode,
} from './elements.ts';

/** Where generators put the text of a page, most exact first. */
const containers: ((element: Element) => boolean)[] = [
  // Docusaurus, VitePress, Starlight, Material for MkDocs, Mintlify, Nextra
  (one) =>
    hasClass(
      one,
      /^(theme-doc-markdown|vp-doc|sl-markdown-content|md-content__inner|mdx-content|nextra-content)$/,
    ),
  // Sphinx, Read the Docs, Jekyll
  (one) => property(one, 'itemProp') === 'articleBody',
  // GitHub and what copies it
  (one) => hasClass(one, /^markdown-body$/),
];

/** The part of the page that is its text; the whole body where nothing marks it. */
export function mainContent(root: Root): Element | Root {
  for (const fits of containers) {
    const [first, ...others] = findAll(root, fits);
    if (first && others.length === 0) return first;
  }
  const [main] = findAll(root, (one) => one.tagName === 'main' || property(one, 'role') === 'main');
  const within = main ?? root;
  const articles = findAll(within, isTag('article'));
  const [article] = articles.toSorted((a, b) => textOf(b).length - textOf(a).length);
  // Several articles are a list of teasers; one that holds little of the page is a part of it.
  if (article && articles.length === 1 && textOf(article).length * 2 > textOf(within).length) {
    return article;
  }
  if (main) return main;
  return article ?? findAll(root, isTag('body'))[0] ?? root;
}

/** Takes away, in place, whatever is not read: navigation, controls, what only programs read. */
export function removeNoise(node: HtmlNode): void {
  if (!('children' in node)) return;
  const kept = childrenOf(node).filter((child) => {
    if (child.type === 'text') return true;
    return isElement(child) && !isNoise(child);
  });
  node.children = kept as typeof node.children;
  for (const child of kept) removeNoise(child);
}

const noiseTags = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'svg',
  'nav',
  'footer',
  'iframe',
  'object',
  'embed',
  'video',
  'audio',
  'canvas',
  'dialog',
  'button',
  'select',
  'textarea',
  'form',
]);

const noiseRoles = new Set(['navigation', 'search', 'banner', 'contentinfo', 'complementary']);

/** Names that generators give to what surrounds the text. */
const noiseClass = new RegExp(
  `^(${[
    'breadcrumbs?',
    'pagination(-nav)?',
    'pager',
    'prev-next',
    'edit-(this-)?(page|link)',
    'theme-edit-this-page',
    'theme-doc-footer',
    'theme-doc-version-badge',
    'theme-last-updated',
    'last-updated',
    'table-of-contents',
    'tableOfContents.*',
    'tocCollapsible.*',
    'theme-doc-toc-.*',
    'toc',
    'on-this-page',
    'VPDocFooter',
    'md-source-file',
    'md-feedback',
    'rst-footer-buttons',
    'sidebar',
    'menu',
    'feedback',
    'skip-link',
    'sr-only',
    'visually-hidden',
    'screen-reader-text',
    'copy(-button)?',
    'copybtn',
    'lang',
    'line-numbers(-wrapper)?',
    'linenos',
    'linenodiv',
    'gutter',
    'katex-html',
    'footnote-backref',
  ].join('|')})$`,
);

const aside = /aside|admonition|note|callout|warning|caution|danger|tip|info|alert|important/i;

function isNoise(element: Element): boolean {
  const { tagName } = element;
  if (noiseTags.has(tagName)) return true;
  const role = property(element, 'role');
  if (tagName === 'aside') return !classesOf(element).some((name) => aside.test(name));
  if (noiseRoles.has(role)) return true;
  // What tabs hide for now is still said; what is hidden for everyone is not.
  const isPanel = role === 'tabpanel';
  if (element.properties['hidden'] !== undefined && element.properties['hidden'] !== false) {
    return !isPanel;
  }
  // Starlight hides the title of a note from those who hear the page: its label says it already.
  if (hasClass(element, /__title$/)) return false;
  // An empty link in a heading is hidden too, but it may be where the heading's id stands.
  if (property(element, 'ariaHidden') === 'true' && !isPanel && !property(element, 'id')) {
    return tagName !== 'a';
  }
  return hasClass(element, noiseClass);
}
