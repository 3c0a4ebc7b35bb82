/** Helpers for HTML trees. */
import type { Element, ElementContent, Root, RootContent } from 'hast';

export type HtmlNode = Root | RootContent | ElementContent;

export function isElement(node: HtmlNode | undefined): node is Element {
  return node?.type === 'element';
}

export function childrenOf(node: HtmlNode): (RootContent | ElementContent)[] {
  if (isElement(node) && node.tagName === 'template') return [];
  return 'children' in node ? node.children : [];
}

/** Returns an attribute as text. Names are those of the tree: `dataLanguage`, `ariaHidden`. */
export function property(element: Element, name: string): string {
  const value = element.properties[name];
  if (Array.isArray(value)) return value.join(' ');
  return value === undefined || value === null || value === false ? '' : String(value);
}

export function classesOf(element: Element): string[] {
  return property(element, 'className').split(/\s+/).filter(Boolean);
}

export function hasClass(element: Element, pattern: RegExp): boolean {
  return classesOf(element).some((name) => pattern.test(name));
}

/** Returns all matching elements below a node, in document order. */
export function findAll(node: HtmlNode, fits: (element: Element) => boolean): Element[] {
  const found: Element[] = [];
  visit(node);
  return found;

  function visit(one: HtmlNode): void {
    for (const child of childrenOf(one)) {
      if (isElement(child) && fits(child)) found.push(child);
      visit(child);
    }
  }
}

export function find(node: HtmlNode, fits: (element: Element) => boolean): Element | undefined {
  for (const child of childrenOf(node)) {
    if (isElement(child) && fits(child)) return child;
    const below = find(child, fits);
    if (below) return below;
  }
  return undefined;
}

export const isTag =
  (...names: string[]) =>
  (element: Element): boolean =>
    names.includes(element.tagName);

export function textOf(node: HtmlNode): string {
  if (node.type === 'text') return node.value;
  return childrenOf(node).map(textOf).join('');
}

/** Returns text as readers see it, with single spaces and without zero-width characters. */
export function plainText(node: HtmlNode): string {
  return textOf(node)
    .replaceAll(/[\u200B-\u200D\u2060\uFEFF]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
