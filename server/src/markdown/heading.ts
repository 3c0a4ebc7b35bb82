import { inlineText } from './inline-text.ts';
import type { Node } from './nodes.ts';

/** A heading's text without `{#id}`. */
export function cutId(text: string): string {
  return text.replace(/\s*[{\uE000]#[^{}\s]+[}\uE001]\s*$/, '');
}

/** `## Title {#id}`, and in MDX `## Title {/* #id *\/}`. */
export function explicitId(children: Node[]): { id: string | undefined; rest: Node[] } {
  const last = children.at(-1);
  const value = last?.value?.trimEnd() ?? '';
  if (last?.type === 'text') {
    return { id: /\{#([^{}\s]+)\}$/.exec(value)?.[1], rest: children };
  }
  if (last?.type === 'mdxTextExpression') {
    const id = /^\s*\/\*\s*#([^\s*]+)\s*\*\/\s*$/.exec(value)?.[1];
    if (id) return { id, rest: children.slice(0, -1) };
  }
  return { id: undefined, rest: children };
}

/** What a heading says, and the anchor that it names itself. */
export function readHeading(node: Node): { text: string; id: string | undefined } {
  const { id, rest } = explicitId(node.children ?? []);
  return { text: cutId(inlineText(rest).trim()), id };
}
