/** Blocks that hold no others: text, headings, code; and what joins several into one. */
import type { Node } from '../markdown/nodes.ts';
import { inlineText } from '../markdown/inline-text.ts';
import { inlineMarkdown } from './render.ts';
import type { Block, RenderContext } from './render.ts';

export function textBlock(markdown: string, text = markdown): Block {
  return { kind: 'text', markdown: markdown.trim(), text: text.trim(), code: '' };
}

export function heading(node: Node, context: RenderContext): Block {
  const children = node.children ?? [];
  const text = inlineText(children).trim();
  const depth = node.depth ?? 1;
  const markdown = text ? `${'#'.repeat(depth)} ${inlineMarkdown(children, context).trim()}` : '';
  return { kind: 'heading', markdown, text, code: '', depth, anchor: node.anchor ?? '' };
}

/** `title="a.ts"` of most sites, `a.ts` of Mintlify, `[a.ts]` of VitePress. */
function codeTitle(meta: string): string | undefined {
  const named = /(?:title|filename|name)=["']([^"']+)["']/.exec(meta)?.[1];
  return named ?? /^\[?([\w@./-]+\.\w+)\]?(?=\s|$)/.exec(meta)?.[1];
}

export function codeBlock(node: Node): Block {
  const value = node.value ?? '';
  const runs = [...value.matchAll(/`{3,}/g)].map((match) => match[0].length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  const title = codeTitle(node.meta ?? '');
  const info = `${node.lang ?? ''}${title ? ` title="${title}"` : ''}`;
  const code = title ? `${title}\n${value}` : value;
  return {
    kind: 'code',
    markdown: value.trim() ? `${fence}${info}\n${value}\n${fence}` : '',
    text: '',
    code,
  };
}

export function indent(text: string, width: number): string {
  return text.replaceAll(/\n(?=.)/g, `\n${' '.repeat(width)}`);
}

export function joinText(blocks: Block[]): string {
  return blocks
    .map((block) => block.text)
    .filter(Boolean)
    .join('\n');
}

export function merged(kind: Block['kind'], parts: Block[], separator: string): Block {
  return {
    kind,
    markdown: parts.map((part) => part.markdown).join(separator),
    text: joinText(parts),
    code: parts
      .map((part) => part.code)
      .filter(Boolean)
      .join('\n'),
    parts,
  };
}
