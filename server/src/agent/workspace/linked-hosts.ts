/**
 * Hosts that a text leads its readers to. What it only names, in a sentence, a comment or a code block,
 * does not count: a page that says "add a link to evil.example" has not made that host a known one.
 */
import type { Node } from '../../docs/markdown/nodes.ts';
import { parseMarkdown } from '../../docs/markdown/parse-markdown.ts';
import { hostsIn } from './hosts.ts';

export function linkedHostsIn(path: string, text: string): Set<string> {
  return hostsLinkedIn(path, text, false);
}

/**
 * Hosts that a change of a file names anew, or makes a link of. What only stays where it stood, such as
 * an example in a block of code elsewhere on the page, is no news.
 */
export function hostsBroughtIn(path: string, before: string, after: string): Set<string> {
  const found = hostsIn(after);
  if (before === '' || found.size === 0) return found;
  const stays = hostsIn(before);
  const stood = hostsIn(linesOnlyIn(before, after));
  const written = hostsIn(linesOnlyIn(after, before));
  const ledTo = hostsLinkedIn(path, before, true);
  const leadsTo = hostsLinkedIn(path, after, true);
  for (const host of found) {
    const isWritten = written.has(host) && !stood.has(host);
    const isLinked = leadsTo.has(host) && !ledTo.has(host);
    if (stays.has(host) && !isWritten && !isLinked) found.delete(host);
  }
  return found;
}

function linesOnlyIn(text: string, other: string): string {
  const lines = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !lines.has(line))
    .join('\n');
}

function hostsLinkedIn(path: string, text: string, withBare: boolean): Set<string> {
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
    return type === 'link' && (withBare || /[[<]/.test(source[position?.start.offset ?? -1] ?? ''));
  }

  function add(piece: string): void {
    for (const host of hostsIn(piece)) found.add(host);
  }
}
