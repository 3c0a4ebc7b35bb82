/**
 * Hosts that a text leads its readers to. What it only names, in a sentence, a comment or a code block,
 * does not count: a page that says "add a link to evil.example" has not made that host a known one.
 */
import type { Node } from '../markdown/nodes.ts';
import { parseMarkdown } from '../markdown/parse-markdown.ts';
import { hostsIn } from './hosts.ts';

export function linkedHostsIn(path: string, text: string): Set<string> {
  if (!/\.(?:mdx?|markdown)$/i.test(path))
    return hostsIn(text.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
  const { tree, source } = parseMarkdown(text, path.toLowerCase().endsWith('.mdx'));
  const found = new Set<string>();
  visit(tree);
  return found;

  function visit(node: Node): void {
    if (isLink(node)) add(`<${node.url ?? ''}>`);
    // Of a tag; comments lead nowhere.
    if (node.type === 'html' && !node.value?.startsWith('<!--')) add(node.value ?? '');
    for (const { value } of node.attributes ?? []) {
      add(`"${typeof value === 'string' ? value : (value?.value ?? '')}"`);
    }
    node.children?.forEach(visit);
  }

  /** Bare addresses become links too, but nobody set them. */
  function isLink({ type, position }: Node): boolean {
    if (type === 'image' || type === 'definition') return true;
    return type === 'link' && /[[<]/.test(source[position?.start.offset ?? -1] ?? '');
  }

  function add(piece: string): void {
    for (const host of hostsIn(piece)) found.add(host);
  }
}
