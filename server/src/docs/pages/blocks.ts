/** Turns a tree into the blocks of a page. Components are replaced by their content. */
import { trimEndOf } from '../../platform/text.ts';
import { toDataBlocks } from './data-blocks.ts';
import { htmlText } from '../markdown/html-tags.ts';
import {
  attribute,
  attributeData,
  inlineText,
  literal,
  type Node,
  silentComponents,
} from '../markdown/nodes.ts';
import {
  type Block,
  codeBlock,
  heading,
  indent,
  inlineMarkdown,
  joinCode,
  joinText,
  merged,
  type RenderContext,
  textBlock,
  withoutFences,
} from './render.ts';

export function toBlocks(nodes: Node[], context: RenderContext): Block[] {
  return nodes.flatMap((node) => blocksOf(node, context)).filter((block) => block.markdown !== '');
}

function blocksOf(node: Node, context: RenderContext): Block[] {
  switch (node.type) {
    case 'heading':
      return [heading(node, context)];
    case 'paragraph':
      return paragraph(node, context);
    case 'code':
      return [codeBlock(node)];
    case 'list':
      return [list(node, context)];
    case 'table':
      return [table(node, context)];
    case 'blockquote':
      return [quote(node, context)];
    case 'html':
      return [textBlock(htmlText(node.value ?? ''))];
    case 'mdxFlowExpression':
    case 'mdxTextExpression':
      return [textBlock(literal(node.value ?? '') ?? '')];
    case 'mdxJsxFlowElement':
    case 'mdxJsxTextElement':
      return component(node, context);
    case 'footnoteDefinition':
      return toBlocks(node.children ?? [], context);
    default:
      // Imports, exports, link definitions, and rules have no text for readers.
      return [];
  }
}

function paragraph(node: Node, context: RenderContext): Block[] {
  const children = node.children ?? [];
  // The parser reads a component alone on its line as a paragraph; its author means a block.
  const isBlank = (child: Node): boolean => child.type === 'text' && !child.value?.trim();
  const isComponent = (child: Node): boolean =>
    child.type === 'mdxJsxTextElement' && !inlineNames.has(child.name ?? '');
  if (
    children.some(isComponent) &&
    children.every((child) => isComponent(child) || isBlank(child))
  ) {
    return children.filter(isComponent).flatMap((child) => component(child, context));
  }
  const markdown = withoutFences(inlineMarkdown(children, context), '**').trim();
  // A page from the web can still have an include in it.
  if (/^(\[\[toc\]\]|<<< .*)$/i.test(markdown)) return [];
  return [textBlock(markdown, withoutFences(inlineText(children), ''))];
}

const inlineNames = new Set([
  'a',
  'code',
  'kbd',
  'b',
  'i',
  'em',
  'strong',
  'span',
  'sup',
  'sub',
  'br',
  'img',
  'Badge',
  'Icon',
  'Link',
]);

function list(node: Node, context: RenderContext): Block {
  const items = (node.children ?? []).map((item, index): Block => {
    const marker = node.ordered ? `${(node.start ?? 1) + index}. ` : '- ';
    const box = item.checked === true ? '[x] ' : item.checked === false ? '[ ] ' : '';
    const inner = toBlocks(item.children ?? [], context);
    const isTight = inner.every((block) => block.kind !== 'code' && block.kind !== 'table');
    const body = inner.map((block) => block.markdown).join(isTight ? '\n' : '\n\n');
    return {
      kind: 'text',
      markdown: marker + box + indent(body, marker.length),
      text: joinText(inner),
      code: joinCode(inner),
    };
  });
  return merged('list', items, '\n');
}

function table(node: Node, context: RenderContext): Block {
  const rows = (node.children ?? []).map((row) => {
    const cells = row.children ?? [];
    const markdown = cells.map((cell) =>
      inlineMarkdown(cell.children ?? [], context)
        .replaceAll('\n', ' ')
        .trim(),
    );
    const text = cells
      .map((cell) => inlineText(cell.children ?? []).trim())
      .filter(Boolean)
      .join(' | ');
    return { markdown: `| ${markdown.join(' | ')} |`, text, width: cells.length };
  });
  const [first, ...others] = rows;
  if (!first) return textBlock('');
  const head = `${first.markdown}\n|${' --- |'.repeat(first.width)}`;
  const items = others
    .filter((row) => !/^:{3,}/.test(row.text))
    .map((row) => textBlock(row.markdown, row.text));
  const body = merged('table', items, '\n');
  return {
    ...body,
    head,
    markdown: `${head}\n${body.markdown}`.trimEnd(),
    text: [first.text, body.text].filter(Boolean).join('\n'),
  };
}

function quote(node: Node, context: RenderContext): Block {
  const inner = toBlocks(node.children ?? [], context);
  const markdown = inner.map((block) => block.markdown).join('\n\n');
  const kind = /^\\?\[!(NOTE|TIP|WARNING|IMPORTANT|CAUTION|INFO|DANGER)\\?\]/i.exec(markdown);
  const name = kind?.[1] ? kind[1].charAt(0).toUpperCase() + kind[1].slice(1).toLowerCase() : '';
  const shown = kind ? `**${name}**\n${markdown.slice(kind[0].length).trimStart()}` : markdown;
  return {
    ...textBlock(
      shown
        .split('\n')
        .map((line) => trimEndOf(`> ${line}`, ' '))
        .join('\n'),
      joinText(inner).replace(/^\[!\w+\]\s*/, ''),
    ),
    code: joinCode(inner),
  };
}

/** Components whose name is shown, so that "Warning" is not lost. */
const callouts = new Set([
  'Note',
  'Warning',
  'Tip',
  'Info',
  'Caution',
  'Danger',
  'Check',
  'Important',
  'Aside',
  'Callout',
  'Admonition',
  'Alert',
]);

function component(node: Node, context: RenderContext): Block[] {
  const name = node.name ?? '';
  if (silentComponents.has(name)) return [];
  if (/^(img|Image|br)$/.test(name))
    return [textBlock(inlineMarkdown([node], context), attribute(node, 'alt') ?? '')];
  if (name === 'tr') return [row(node, context)];
  const blocks = [...lead(node, context), ...childBlocks(node, context)];
  return name === 'li' && blocks.length > 0 ? [listItem(blocks)] : blocks;
}

/** Blocks for the attributes that readers see: the title in bold, then the description. */
function lead(node: Node, context: RenderContext): Block[] {
  const name = node.name ?? '';
  const blocks: Block[] = [];
  const title = attribute(node, 'title', 'header', 'heading', 'label', 'question', 'summary');
  const field = /Field$|^Param|^Property/.test(name)
    ? attribute(node, 'name', 'path', 'query', 'body', 'header')
    : undefined;
  if (field) {
    const facts = [
      attribute(node, 'type'),
      attribute(node, 'default') && `default ${attribute(node, 'default')}`,
    ]
      .filter(Boolean)
      .join(', ');
    blocks.push(
      textBlock(`**\`${field}\`**${facts ? ` (${facts})` : ''}`, `${field} ${facts}`.trim()),
    );
  } else if (title) {
    const url = attribute(node, 'href', 'to');
    const shown = url ? `[${title}](${context.linkOf(url, 'page', node)})` : title;
    blocks.push(textBlock(`**${shown}**`, title));
  } else if (callouts.has(name)) {
    const kind =
      name === 'Aside' || name === 'Callout' || name === 'Admonition'
        ? attribute(node, 'type')
        : undefined;
    blocks.push(textBlock(`**${kind ? kind.charAt(0).toUpperCase() + kind.slice(1) : name}**`, ''));
  }
  const description = attribute(node, 'description', 'subtitle', 'caption');
  if (description) blocks.push(textBlock(description));
  return [...blocks, ...toDataBlocks(attributeData(node))];
}

/** Text directly inside a component becomes a paragraph. */
function childBlocks(node: Node, context: RenderContext): Block[] {
  const blocks: Block[] = [];
  let run: Node[] = [];
  const flush = (): void => {
    if (run.length > 0) blocks.push(...paragraph({ type: 'paragraph', children: run }, context));
    run = [];
  };
  for (const child of node.children ?? []) {
    if (isPhrasing(child)) run.push(child);
    else {
      flush();
      blocks.push(...blocksOf(child, context));
    }
  }
  flush();
  return blocks.filter((block) => block.markdown !== '');
}

const phrasing = new Set([
  'text',
  'inlineCode',
  'emphasis',
  'strong',
  'delete',
  'break',
  'link',
  'linkReference',
  'image',
  'imageReference',
  'mdxTextExpression',
  'footnoteReference',
]);

function isPhrasing(node: Node): boolean {
  return (
    phrasing.has(node.type) ||
    (node.type === 'mdxJsxTextElement' && inlineNames.has(node.name ?? ''))
  );
}

function row(node: Node, context: RenderContext): Block {
  const cells = (node.children ?? []).filter((child) => /^t[dh]$/.test(child.name ?? ''));
  const blocks = cells.map((cell) => childBlocks(cell, context));
  const markdown = blocks.map((cell) =>
    cell
      .map((block) => block.markdown)
      .join(' ')
      .replaceAll('\n', ' '),
  );
  return textBlock(`| ${markdown.join(' | ')} |`, blocks.map(joinText).filter(Boolean).join(' | '));
}

function listItem(blocks: Block[]): Block {
  const item = merged('text', blocks, '\n\n');
  return {
    kind: 'text',
    markdown: `- ${indent(item.markdown, 2)}`,
    text: item.text,
    code: item.code,
  };
}
