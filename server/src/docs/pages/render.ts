/**
 * Turns Markdown nodes into the text of a passage: Markdown for the model, prose and code for the index.
 * Text is copied from the Markdown if possible, so that the author's escapes stay.
 */
import { replaceBetween } from '../../platform/text.ts';
import { htmlText } from '../markdown/html-tags.ts';
import { attribute, inlineText, literal, type Node, silentComponents } from '../markdown/nodes.ts';

export interface RenderContext {
  markdown: string;
  /** Converts an address in the page to the address that the index stores. */
  linkOf: (url: string, kind: 'page' | 'image', node: Node) => string;
  /** Addresses of reference-style links by label. */
  definitions: Map<string, string>;
}

/** One block of a page, such as a paragraph, a list, or a code block. */
export interface Block {
  kind: 'heading' | 'text' | 'code' | 'list' | 'table';
  markdown: string;
  text: string;
  code: string;
  depth?: number;
  /** The anchor of a heading. */
  anchor?: string;
  /** List items or table rows, between which a long block may be cut. */
  items?: Block[];
  /** The first lines of a table, repeated in each piece of it. */
  head?: string;
}

/** Returns inline content as Markdown. */
export function inlineMarkdown(nodes: Node[], context: RenderContext): string {
  return nodes.map((node) => inlineNode(node, context)).join('');
}

function inlineNode(node: Node, context: RenderContext): string {
  const inner = (): string => inlineMarkdown(node.children ?? [], context);
  const url = node.url ?? context.definitions.get(node.identifier ?? '');
  switch (node.type) {
    case 'text':
      return original(node, context);
    case 'inlineCode':
      return codeSpan(node.value ?? '');
    case 'emphasis':
      return wrap('*', inner());
    case 'strong':
      return wrap('**', inner());
    case 'delete':
      return wrap('~~', inner());
    case 'break':
      return '\n';
    case 'link':
    case 'linkReference':
      return url === undefined ? `[${inner()}]` : link(inner(), context.linkOf(url, 'page', node));
    case 'image':
    case 'imageReference':
      return `![${node.alt ?? ''}](${context.linkOf(url ?? '', 'image', node)})`;
    case 'html':
      return /^<br\b/i.test(node.value ?? '') ? '\n' : htmlText(node.value ?? '');
    case 'mdxTextExpression':
    case 'mdxFlowExpression':
      return literal(node.value ?? '') ?? '';
    case 'mdxJsxTextElement':
    case 'mdxJsxFlowElement':
      return inlineComponent(node, context);
    case 'footnoteReference':
      return '';
    default:
      return node.children ? inner() : (node.value ?? '');
  }
}

function inlineComponent(node: Node, context: RenderContext): string {
  const name = node.name ?? '';
  const inner = inlineMarkdown(node.children ?? [], context);
  if (name === 'br') return '\n';
  if (silentComponents.has(name)) return '';
  if (/^(img|Image)$/.test(name)) {
    const url = attribute(node, 'src') ?? '';
    const alt = attribute(node, 'alt') ?? '';
    return url ? `![${alt}](${context.linkOf(url, 'image', node)})` : alt;
  }
  if (name === 'code') return codeSpan(inner);
  const label = attribute(node, 'title', 'label', 'text');
  const text = inner || label || '';
  const url = attribute(node, 'href', 'to');
  return url && text ? link(text, context.linkOf(url, 'page', node)) : text;
}

function link(text: string, url: string): string {
  if (!text) return '';
  return /[\s()<>]/.test(url) ? `[${text}](<${url}>)` : `[${text}](${url})`;
}

function wrap(mark: string, text: string): string {
  return text.trim() ? mark + text.trim() + mark : text;
}

function codeSpan(value: string): string {
  const fence = value.includes('`') ? '``' : '`';
  const pad = value.startsWith('`') || value.endsWith('`') ? ' ' : '';
  return value === '' ? '' : fence + pad + value + pad + fence;
}

/** Returns a text as the author wrote it, without the prefixes of quotes and lists. */
function original(node: Node, context: RenderContext): string {
  const start = node.position?.start.offset;
  const end = node.position?.end.offset;
  if (start === undefined || end === undefined) return escapeMarkdown(node.value ?? '');
  return context.markdown.slice(start, end).replaceAll(/\r?\n[ \t>]*/g, '\n');
}

/** Escapes text that does not come from Markdown, such as that of an HTML page. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*]/g, '\\$&')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll(/<(?=[A-Za-z/!?])/g, '\\<')
    .split(']')
    .map((part, index, parts) =>
      parts[index + 1]?.startsWith('(') ? part.replaceAll('[', '\\[') : part,
    )
    .join(']');
}

const fences = /^[ \t]*:::(.*)$/gm;

/**
 * Replaces the lines of `:::note Title` (Docusaurus) and `::: tip Title` (VitePress), which the parser
 * reads as text: the opening line becomes a bold title, the closing line is removed.
 */
export function withoutFences(text: string, bold: string): string {
  if (!text.includes(':::')) return text;
  return text
    .replaceAll(fences, (_, after: string) => {
      const info = after.replace(/^:+/, '').trim();
      const kind = /^[\w-]*/.exec(info)?.[0] ?? '';
      const rest = info.slice(kind.length).trim();
      const end = rest.startsWith('[') ? rest.indexOf(']') : -1;
      if (/^(code-group|tabs?|steps|raw|v-pre|info-list)$/.test(kind)) return '';
      const title =
        end < 0 ? replaceBetween(rest, ['{', '}'], () => '').trim() : rest.slice(1, end).trim();
      const shown = title || kind.charAt(0).toUpperCase() + kind.slice(1);
      return shown ? `\n${bold}${shown}${bold}\n` : '';
    })
    .replaceAll(/\n{2,}/g, bold === '' ? '\n' : '\n\n')
    .trim();
}

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

/** The title is `title="a.ts"` on most sites, `a.ts` in Mintlify, and `[a.ts]` in VitePress. */
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

const join = (texts: string[]) => texts.filter(Boolean).join('\n');
export const joinCode = (blocks: Block[]) => join(blocks.map(({ code }) => code));
export const joinText = (blocks: Block[]) => join(blocks.map(({ text }) => text));

export function merged(kind: Block['kind'], items: Block[], separator: string): Block {
  return {
    kind,
    markdown: items.map((item) => item.markdown).join(separator),
    text: joinText(items),
    code: joinCode(items),
    items,
  };
}
