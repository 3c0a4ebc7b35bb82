import { attribute, literal } from './nodes.ts';
import type { Node } from './nodes.ts';

/** Components without text for readers. */
export const silentComponents = new Set([
  'script',
  'style',
  'svg',
  'iframe',
  'noscript',
  'Head',
  'TOCInline',
]);

/** Returns inline content as plain text, without marks and link addresses. */
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

/** Returns the text that a heading's anchor is made from. Attributes of components don't count. */
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

/** Returns the text that readers see of raw HTML in Markdown. */
export function htmlText(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?(-->|$)/g, '')
    .replaceAll(/<(script|style|svg|template)\b[\s\S]*?(<\/\1\s*>|$)/gi, '')
    .replaceAll(/<img\b[^>]*?\salt="([^"]*)"[^>]*>/gi, '$1')
    .replaceAll(/<br\s*\/?>/gi, '\n')
    .replaceAll(/<[A-Z][\w.]*\b[^>]*?\s(?:title|label|text)="([^"]*)"[^>]*>/g, '\n$1\n')
    .replaceAll(
      /<\/?(p|div|li|ul|ol|tr|table|details|summary|h[1-6]|section|blockquote)\b[^>]*>/gi,
      '\n',
    )
    .replaceAll(/<\/t[dh]\s*>/gi, ' ')
    .replaceAll(/<\/?[A-Za-z][^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};
