/**
 * Turns components of common documentation tools (Mintlify, Docusaurus, Starlight, Fumadocs) into
 * plain blocks, and removes forbidden tags. Names are in lowercase, from MDX and from HTML.
 */
import type { Element, ElementContent, Properties, Root } from 'hast';
import { SKIP, visit } from 'unist-util-visit';
import type { Value } from './jsx.ts';

const htmlTags = new Set(
  `a abbr address article aside audio b bdi bdo blockquote br caption cite code col colgroup data dd
  del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li
  main mark menu nav ol p picture pre q rp rt ruby s samp section small source span strong sub
  summary sup table tbody td tfoot th thead time tr track u ul var video wbr input`.split(/\s+/),
);
const droppedTags = new Set(
  `script style link meta base title head form object embed applet svg template iframe noscript
  button textarea select option dialog`.split(/\s+/),
);
const phrasingParents = new Set(
  `p h1 h2 h3 h4 h5 h6 a span strong em td th summary b i`.split(' '),
);
const noteKinds: Record<string, string> = {
  note: 'note',
  info: 'note',
  callout: 'note',
  admonition: 'note',
  aside: 'note',
  alert: 'note',
  important: 'important',
  tip: 'tip',
  hint: 'tip',
  check: 'tip',
  success: 'tip',
  warning: 'warning',
  caution: 'warning',
  danger: 'danger',
  error: 'danger',
};

/** A rehype plugin. */
export function rehypeComponents() {
  return (tree: Root): void => {
    visit(tree, 'element', (node, index, parent) => {
      if (!parent || index === undefined) return undefined;
      if (droppedTags.has(node.tagName)) {
        parent.children.splice(index, 1);
        return [SKIP, index];
      }
      if (htmlTags.has(node.tagName) && !(node.tagName === 'aside' && isComponent(node))) {
        cleanProperties(node);
        if (node.tagName === 'blockquote') readAlert(node);
        return undefined;
      }
      const around = parent.type === 'element' ? parent.tagName : '';
      // In a heading, a component becomes its text. A block would change the anchor.
      const replacement = /^h[1-6]$/.test(around)
        ? node.children
        : toBlock(node, phrasingParents.has(around));
      parent.children.splice(index, 1, ...replacement);
      // Visits the replacement again, because components can contain components.
      return [SKIP, index];
    });
    unwrapParagraphs(tree);
  };
}

/** Turns GitHub's `> [!NOTE]` into a note. */
function readAlert(quote: Element): void {
  const paragraph = quote.children.find((child) => child.type === 'element');
  const first = paragraph?.children[0];
  if (first?.type !== 'text') return;
  const match = /^\s*\[!(\w+)\][ \t]*\n?/.exec(first.value);
  const kind = noteKinds[match?.[1]?.toLowerCase() ?? ''];
  if (!match || !kind) return;
  first.value = first.value.slice(match[0].length);
  Object.assign(quote, note(kind, undefined, quote.children));
}

function isComponent(node: Element): boolean {
  return node.data?.values !== undefined && node.properties['title'] !== undefined;
}

function toBlock(node: Element, isInline: boolean): ElementContent[] {
  const { tagName: name, properties, children } = node;
  const title = firstString(properties, ['title', 'label', 'heading', 'summary', 'name']);
  const kind = noteKinds[name];
  if (kind) {
    const given = noteKinds[String(properties['type'] ?? properties['variant'] ?? '')] ?? kind;
    return [note(given, title, children)];
  }
  if (name === 'accordion' || name === 'expandable' || name === 'collapsible') {
    return [element('details', {}, [element('summary', {}, [text(title ?? 'More')]), ...children])];
  }
  if (name.endsWith('card') || name === 'tile') return [card(properties, title, children)];
  if (/^(param|response|request)?field$/.test(name)) return [field(properties, children)];
  const code = firstString(properties, ['code']) ?? snippet(node);
  if (code !== undefined) return [element('pre', {}, [element('code', {}, [text(code)])])];
  if (name === 'br') return [element('br', {}, [])];
  const lists = Object.values(node.data?.values ?? {}).flatMap(literalBlocks);
  if (isInline) {
    if (lists.length > 0) return lists;
    return children.length > 0 ? children : title ? [text(title)] : [];
  }
  const heading = title ? [element('p', { className: ['block-title'] }, [text(title)])] : [];
  const content = [...heading, ...lists, ...children];
  if (content.length === 0) return [];
  const group = /^(cardgroup|cards|columns|tiles)$/.test(name)
    ? 'cards'
    : title
      ? 'block'
      : 'plain';
  return [element('div', { className: [group] }, content)];
}

function note(kind: string, title: string | undefined, children: ElementContent[]): Element {
  const label = title ?? kind.charAt(0).toUpperCase() + kind.slice(1);
  return element('div', { className: ['note', `note-${kind}`], role: 'note' }, [
    element('p', { className: ['note-title'] }, [text(label)]),
    ...children,
  ]);
}

function card(
  properties: Properties,
  title: string | undefined,
  children: ElementContent[],
): Element {
  const href = firstString(properties, ['href', 'link', 'url', 'to']);
  const description = firstString(properties, ['description']);
  const name = text(title ?? href ?? '');
  const heading = href ? element('a', { href }, [name]) : name;
  return element('div', { className: ['card'] }, [
    ...(title || href ? [element('p', { className: ['card-title'] }, [heading])] : []),
    ...(description ? [element('p', {}, [text(description)])] : []),
    ...children,
  ]);
}

function field(properties: Properties, children: ElementContent[]): Element {
  const name = firstString(properties, ['name', 'path', 'query', 'body', 'header', 'param']) ?? '';
  const type = firstString(properties, ['type']);
  return element('div', { className: ['field'] }, [
    element('p', { className: ['field-name'] }, [
      ...(name ? [element('code', {}, [text(name)])] : []),
      ...(type ? [text(' '), element('span', { className: ['field-type'] }, [text(type)])] : []),
      ...(properties['required'] ? [text(' '), element('span', {}, [text('required')])] : []),
    ]),
    ...children,
  ]);
}

function snippet(node: Element): string | undefined {
  if (node.tagName !== 'snippet' && node.tagName !== 'inlineprompt') return undefined;
  const lines = node.data?.values?.['text'];
  if (Array.isArray(lines)) return lines.map(String).join('\n');
  return firstString(node.properties, ['text', 'value']);
}

/** A list of objects in an attribute: cards if they have links, otherwise named properties. */
function literalBlocks(value: Value): ElementContent[] {
  if (!Array.isArray(value)) return [];
  const objects = value.filter(
    (entry): entry is Record<string, Value> =>
      typeof entry === 'object' && entry !== null && !Array.isArray(entry),
  );
  if (objects.length === 0) return [];
  if (objects.some((entry) => entry['href'] ?? entry['link'])) {
    const cards = objects.map((entry) => {
      const properties = stringsOf(entry);
      return card(properties, firstString(properties, ['title', 'name', 'label']), []);
    });
    return [element('div', { className: ['cards'] }, cards)];
  }
  return objects.map((entry) => {
    const description = entry['description'];
    const inner = Object.values(entry).flatMap(literalBlocks);
    return field({ ...stringsOf(entry), required: entry['isOptional'] === false }, [
      ...(typeof description === 'string' ? [element('p', {}, [text(description)])] : []),
      ...(inner.length > 0 ? [element('div', { className: ['fields'] }, inner)] : []),
    ]);
  });
}

function stringsOf(entry: Record<string, Value>): Properties {
  const result: Properties = {};
  for (const [name, value] of Object.entries(entry)) {
    if (typeof value === 'string') result[name] = value;
  }
  return result;
}

/** Removes event handlers and `javascript:` links, because the site runs no code of pages. */
function cleanProperties(node: Element): void {
  for (const [name, value] of Object.entries(node.properties)) {
    const isScript = /^\s*(javascript|vbscript|data:text)/i.test(String(value));
    if (/^on/i.test(name) || name === 'style' || name === 'srcDoc' || isScript) {
      delete node.properties[name];
    }
  }
}

/** A component on its own line is in a paragraph, which can't contain blocks. */
function unwrapParagraphs(tree: Root): void {
  visit(tree, 'element', (node, index, parent) => {
    if (node.tagName !== 'p' || !parent || index === undefined) return undefined;
    const hasBlock = node.children.some(
      (child) => child.type === 'element' && /^(div|details|pre|table|figure)$/.test(child.tagName),
    );
    if (!hasBlock) return undefined;
    parent.children.splice(index, 1, ...node.children);
    return [SKIP, index];
  });
}

function firstString(properties: Properties, names: string[]): string | undefined {
  for (const name of names) {
    const value = properties[name];
    if (typeof value === 'string' && value) return value;
  }
  return undefined;
}

export function element(
  tagName: string,
  properties: Properties,
  children: ElementContent[],
): Element {
  return { type: 'element', tagName, properties, children };
}

export function text(value: string): ElementContent {
  return { type: 'text', value };
}
