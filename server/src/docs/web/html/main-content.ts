/** Finds the main content of a page, and removes navigation and controls. */
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

/** Containers that generators use for the text of a page, the most specific first. */
const containers: ((element: Element) => boolean)[] = [
  // Docusaurus, VitePress, Starlight, Material for MkDocs, Mintlify, Nextra
  (one) =>
    hasClass(
      one,
      /^(theme-doc-markdown|vp-doc|sl-markdown-content|md-content__inner|mdx-content|nextra-content)$/,
    ),
  // Sphinx, Read the Docs, Jekyll
  (one) => property(one, 'itemProp') === 'articleBody',
  // GitHub, and sites that use its styles
  (one) => hasClass(one, /^markdown-body$/),
];

/** Returns the element with the text of the page, or the body. */
export function mainContent(root: Root): Element | Root {
  for (const fits of containers) {
    const [first, ...others] = findAll(root, fits);
    if (first && others.length === 0) return first;
  }
  const [main] = findAll(root, (one) => one.tagName === 'main' || property(one, 'role') === 'main');
  const within = main ?? root;
  const articles = findAll(within, isTag('article'));
  const [article] = articles.toSorted((a, b) => textOf(b).length - textOf(a).length);
  // Several articles are teasers. A short article is only a part of the page.
  if (article && articles.length === 1 && textOf(article).length * 2 > textOf(within).length) {
    return article;
  }
  if (main) return main;
  return article ?? findAll(root, isTag('body'))[0] ?? root;
}

/** Removes, in place, navigation, controls, and everything that only programs read. */
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

/** Classes that generators use around the text. */
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
  // Hidden tab panels are part of the page. Other hidden elements are not.
  const isPanel = role === 'tabpanel';
  if (element.properties['hidden'] !== undefined && element.properties['hidden'] !== false) {
    return !isPanel;
  }
  // Starlight hides the title of a note from screen readers, because the label repeats it.
  if (hasClass(element, /__title$/)) return false;
  // An empty link in a heading is hidden too, but it may have the id of the heading.
  if (property(element, 'ariaHidden') === 'true' && !isPanel && !property(element, 'id')) {
    return tagName !== 'a';
  }
  return hasClass(element, noiseClass);
}
