import { htmlText } from './html-text.ts';
import { attribute, literal } from './nodes.ts';
import type { Node } from './nodes.ts';

/** Nothing in these is for a reader. */
export const silentComponents = new Set([
  'script',
  'style',
  'svg',
  'iframe',
  'noscript',
  'Head',
  'TOCInline',
]);

/** Inline content as prose: no marks, link texts only. */
export function inlineText(nodes: Node[]): string {
  return nodes
    .map((node): string => {
      if (node.type === 'break' || node.name === 'br') return ' ';
      if (node.type === 'html')
        return /^<br\b/i.test(node.value ?? '') ? ' ' : htmlText(node.value ?? '');
      if (node.type === 'image' || node.type === 'imageReference') return node.alt ?? '';
      if (node.type === 'footnoteReference') return '';
      if (node.type.startsWith('mdx') && node.type.endsWith('Expression')) {
        return literal(node.value ?? '') ?? '';
      }
      if (node.name && silentComponents.has(node.name)) return '';
      const inner = node.children ? inlineText(node.children) : (node.value ?? '');
      return inner || attribute(node, 'title', 'label', 'text', 'alt') || '';
    })
    .join('');
}

/** What a site makes a heading's anchor of: attributes of components and pictures are not among it. */
export function anchorText(nodes: Node[]): string {
  return nodes
    .map((node): string => {
      if (node.type === 'html' || node.type === 'footnoteReference') return '';
      if (node.type.startsWith('mdx') && node.type.endsWith('Expression')) return '';
      if (node.type === 'break') return ' ';
      if (node.name && silentComponents.has(node.name)) return '';
      return node.children ? anchorText(node.children) : (node.value ?? node.alt ?? '');
    })
    .join('');
}
