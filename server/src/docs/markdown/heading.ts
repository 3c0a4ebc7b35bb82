import type { Node } from './nodes.ts';

/** `{#id}`, or with more beside it as Python-Markdown and VitePress have it: `{ #id .wide data-x="1" }`. */
const attributes =
  /\s*[{\uE000]:?(?=[^{}]*(?:#|\bid=))((?:\s*(?:[#.][^\s{}"'=]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s{}"']+)))+)\s*[}\uE001]\s*$/;

/** `[#id]` of Nextra and Mintlify; `{/* #id *\/}` of Docusaurus in a file that is not called MDX. */
const marked = /\s*(?:\\?\[#([\w-]+)\\?\]|\{\/\*\s*#([^\s*]+)\s*\*\/\})\s*$/;

/** A heading's text without `{#id}`. */
export function cutId(text: string): string {
  return text.replace(attributes, '').replace(marked, '');
}

/** `## Title {#id}`, and in MDX `## Title {/* #id *\/}`. */
export function explicitId(children: Node[]): { id: string | undefined; rest: Node[] } {
  const last = children.at(-1);
  const value = last?.value?.trimEnd() ?? '';
  if (last?.type === 'text') {
    const own = attributes.exec(value)?.[1];
    const named = /(?:^|\s)(?:#(\S+)|id=["']?([^"'\s]+))/.exec(own ?? '');
    const other = named ?? marked.exec(value);
    return { id: other?.[1] ?? other?.[2], rest: children };
  }
  if (last?.type === 'mdxTextExpression') {
    const id = /^\s*\/\*\s*#([^\s*]+)\s*\*\/\s*$/.exec(value)?.[1];
    if (id) return { id, rest: children.slice(0, -1) };
  }
  return { id: undefined, rest: children };
}
