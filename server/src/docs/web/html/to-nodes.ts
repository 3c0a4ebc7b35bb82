/** Converts HTML to a Markdown tree, so that both become passages in the same way. */
import type { Element } from 'hast';
import type { Node } from '../../markdown/nodes.ts';
import { codeNode, isCodeTitle } from './code-node.ts';
import {
  childrenOf,
  find,
  findAll,
  hasClass,
  type HtmlNode,
  isElement,
  isTag,
  plainText,
  property,
  textOf,
} from './elements.ts';
import { isAnchorLink } from './heading-id.ts';
import type { Tabs } from './tab-labels.ts';

export interface HtmlContext {
  ids: ReadonlyMap<Element, string>;
  tabs: Tabs;
}

const blockTags = new Set(
  'address article aside blockquote body center dd details dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu ol p pre search section summary table tbody td tfoot th thead tr ul'.split(
    ' ',
  ),
);

const titleClass =
  /^(admonition-?heading.*|admonition-title|custom-block-title|starlight-aside__title|callout-title|alert-heading|markdown-alert-title|admonitionheading.*)$/i;

export function toNodes(root: HtmlNode, context: HtmlContext): Node[] {
  let lastId = '';
  return flow(root, []);

  /** Returns the blocks below an element. Text between blocks becomes a paragraph. */
  function flow(parent: HtmlNode, around: readonly Element[]): Node[] {
    const nodes: Node[] = [];
    let run: HtmlNode[] = [];
    const flush = (): void => {
      const children = inlineNodes(run);
      if (!isBlank(children)) nodes.push({ type: 'paragraph', children });
      run = [];
    };
    const inside = isElement(parent) ? [parent, ...around] : around;
    for (const child of childrenOf(parent)) {
      if (isElement(child) && isAnchorLink(child)) continue;
      if (isElement(child) && isBlock(child)) {
        flush();
        nodes.push(...block(child, inside));
      } else run.push(child);
    }
    flush();
    return nodes;
  }

  function block(element: Element, around: readonly Element[]): Node[] {
    const label = context.tabs.labels.get(element);
    if (label !== undefined) return [strong(label), ...flow(element, around)];
    if (context.tabs.bars.has(element)) return [];
    if (isCodeTitle(element) && find(around[0] ?? element, isTag('pre'))) return [];
    if (hasClass(element, titleClass)) return [strong(plainText(element))];
    const depth = /^h([1-6])$/.exec(element.tagName)?.[1];
    if (depth !== undefined) return heading(element, Number(depth));
    switch (element.tagName) {
      case 'pre':
        return [codeNode(element, around)];
      case 'ul':
      case 'ol':
      case 'menu':
      case 'dir':
        return list(element, around);
      case 'table':
        return table(element, around);
      case 'blockquote':
        return [{ type: 'blockquote', children: flow(element, around) }];
      case 'summary':
        return [strong(plainText(element))];
      case 'dl':
        return definitions(element, around);
      case 'hr':
        return [];
      default:
        return flow(element, around);
    }
  }

  function heading(element: Element, depth: number): Node[] {
    const children = inlineNodes(withoutAnchorLinks(element));
    if (isBlank(children)) return [];
    // A heading without an id is cited with the id above it.
    lastId = context.ids.get(element) ?? lastId;
    return [{ type: 'heading', depth, children, anchor: lastId }];
  }

  function list(element: Element, around: readonly Element[]): Node[] {
    const children = childrenOf(element).flatMap((child): Node[] => {
      if (!isElement(child)) return [];
      // Some generators put a list directly inside a list, without an item.
      if (child.tagName !== 'li') return block(child, [element, ...around]);
      const box = find(child, (one) => property(one, 'type') === 'checkbox');
      const blocks = flow(child, [element, ...around]);
      const checked = box ? { checked: box.properties['checked'] === true } : {};
      return blocks.length > 0 ? [{ type: 'listItem', children: blocks, ...checked }] : [];
    });
    const start = Number(property(element, 'start')) || 1;
    const isList = children.length > 0 && children.every((child) => child.type === 'listItem');
    const ordered = element.tagName === 'ol';
    return isList ? [{ type: 'list', ordered, start, children }] : children;
  }

  function table(element: Element, around: readonly Element[]): Node[] {
    // Code with line numbers is often a table.
    const code = findAll(element, isTag('pre'));
    const rows = findAll(element, isTag('tr')).filter((row) => !isNested(row, element));
    const first = code.at(-1);
    if (first && rows.length <= 1) return [codeNode(first, [element, ...around])];
    const children = rows
      .map((row): Node => {
        const cells = childrenOf(row).filter(isElement).filter(isTag('td', 'th'));
        return { type: 'tableRow', children: cells.map(cell) };
      })
      .filter((row) => (row.children?.length ?? 0) > 0);
    const caption = find(element, isTag('caption'));
    return [
      ...(caption ? [strong(plainText(caption))] : []),
      ...(children.length > 0 ? [{ type: 'table', children }] : []),
    ];
  }

  function cell(element: Element): Node {
    return { type: 'tableCell', children: inlineNodes(childrenOf(element)) };
  }

  /** Terms become bold lines. Signatures of an API reference become headings, because they have anchors. */
  function definitions(element: Element, around: readonly Element[]): Node[] {
    return childrenOf(element)
      .filter(isElement)
      .flatMap((child): Node[] => {
        if (child.tagName !== 'dt') return block(child, [element, ...around]);
        const id = property(child, 'id');
        const children = inlineNodes(withoutAnchorLinks(child));
        if (isBlank(children)) return [];
        if (id && hasClass(child, /^sig/)) {
          lastId = id;
          const text = {
            type: 'text',
            value: plainText({
              ...child,
              children: withoutAnchorLinks(child) as Element['children'],
            }),
          };
          return [{ type: 'heading', depth: 6, children: [text], anchor: id }];
        }
        return [{ type: 'paragraph', children: [{ type: 'strong', children }] }];
      });
  }
}

function strong(text: string): Node {
  const children = text ? [{ type: 'strong', children: [{ type: 'text', value: text }] }] : [];
  return { type: 'paragraph', children };
}

function withoutAnchorLinks(element: Element): HtmlNode[] {
  return childrenOf(element).filter((child) => !(isElement(child) && isAnchorLink(child)));
}

function isNested(row: Element, table: Element): boolean {
  return findAll(table, isTag('table')).some((inner) => findAll(inner, isTag('tr')).includes(row));
}

/** Whether an element is a block or contains one. */
function isBlock(element: Element): boolean {
  return (
    blockTags.has(element.tagName) ||
    find(element, ({ tagName }) => blockTags.has(tagName)) !== undefined
  );
}

const marks = new Map([
  ['strong', 'strong'],
  ['b', 'strong'],
  ['em', 'emphasis'],
  ['i', 'emphasis'],
  ['del', 'delete'],
  ['s', 'delete'],
  ['strike', 'delete'],
]);

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
    const mark = marks.get(node.tagName);
    if (mark !== undefined) return within(node, mark);
    switch (node.tagName) {
      case 'br':
        endsWithSpace = true;
        return [{ type: 'break' }];
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

export function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every(
    (node) =>
      node.type === 'break' ||
      (node.type === 'text' && !node.value?.trim()) ||
      (node.children !== undefined && isBlank(node.children)),
  );
}
