/** Converts inline HTML, such as text, links, and pictures, to Markdown nodes. */
import type { Element } from 'hast';
import type { Node } from '../../markdown/nodes.ts';
import { childrenOf, type HtmlNode, isElement, property, textOf } from './elements.ts';
import { isAnchorLink } from './heading-id.ts';

export function inlineNodes(nodes: readonly HtmlNode[]): Node[] {
  // Spaces collapse, also between elements.
  let endsWithSpace = true;
  return nodes.flatMap(inline);

  function inline(node: HtmlNode): Node[] {
    if (node.type === 'text') {
      let value = node.value.replaceAll(/[\u200B\uFEFF]/g, '').replaceAll(/[ \t\r\n\f]+/g, ' ');
      if (endsWithSpace) value = value.replace(/^ /, '');
      if (value === '') return [];
      endsWithSpace = value.endsWith(' ');
      return [{ type: 'text', value }];
    }
    if (!isElement(node)) return [];
    switch (node.tagName) {
      case 'br':
        endsWithSpace = true;
        return [{ type: 'break' }];
      case 'strong':
      case 'b':
        return within(node, 'strong');
      case 'em':
      case 'i':
        return within(node, 'emphasis');
      case 'del':
      case 's':
      case 'strike':
        return within(node, 'delete');
      case 'code':
      case 'samp':
      case 'tt':
        return code(node);
      case 'a':
        return isAnchorLink(node) ? [] : link(node);
      case 'img':
        return image(node);
      case 'annotation':
      case 'input':
        return [];
      case 'p':
      case 'div':
      case 'li':
      case 'tr':
      case 'td':
      case 'pre':
        return apart(node);
      default:
        return childrenOf(node).flatMap(inline);
    }
  }

  function within(node: Element, type: string): Node[] {
    const children = childrenOf(node).flatMap(inline);
    return isBlank(children) ? children : [{ type, children }];
  }

  /** Converts a block inside a line, as in a table cell. Spaces separate its words from others. */
  function apart(node: Element): Node[] {
    const before: Node[] = endsWithSpace ? [] : [{ type: 'text', value: ' ' }];
    endsWithSpace = true;
    const inner = node.tagName === 'pre' ? code(node) : childrenOf(node).flatMap(inline);
    if (isBlank(inner)) return inner;
    endsWithSpace = true;
    return [...before, ...inner, { type: 'text', value: ' ' }];
  }

  function code(node: Element): Node[] {
    const value = textOf(node).replaceAll(/\s+/g, ' ').trim();
    if (value === '') return [];
    endsWithSpace = false;
    return [{ type: 'inlineCode', value }];
  }

  function link(node: Element): Node[] {
    const children = childrenOf(node).flatMap(inline);
    const href = property(node, 'href');
    if (isBlank(children) || !href || /^(javascript|data|vbscript):/i.test(href)) return children;
    return [{ type: 'link', url: href, children }];
  }

  function image(node: Element): Node[] {
    const src = property(node, 'src');
    const alt = property(node, 'alt').trim();
    // A picture without text is decoration, and `data:` is not an address.
    if (!alt || !src || /^data:/i.test(src)) return alt ? [{ type: 'text', value: alt }] : [];
    endsWithSpace = false;
    return [{ type: 'image', url: src, alt }];
  }
}

/** Whether the nodes have no visible text. */
export function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every(
    (node) =>
      node.type === 'break' ||
      (node.type === 'text' && !node.value?.trim()) ||
      (node.children !== undefined && isBlank(node.children)),
  );
}
