import { parseExpressionAt } from 'acorn';
import { htmlText } from './html-tags.ts';

/** The fields that we use of a Markdown tree, for all syntax extensions. */
export interface Node {
  type: string;
  value?: string;
  children?: Node[];
  position?: { start: Point; end: Point };
  depth?: number;
  ordered?: boolean | null;
  start?: number | null;
  checked?: boolean | null;
  lang?: string | null;
  meta?: string | null;
  url?: string;
  alt?: string | null;
  identifier?: string;
  /** The anchor of a heading. `''`: it has none. */
  anchor?: string;
  label?: string | null;
  /** The name of an MDX component. `null` for a fragment. */
  name?: string | null;
  attributes?: Attribute[];
}

interface Point {
  line: number;
  column: number;
  offset?: number;
}

interface Attribute {
  type: string;
  name?: string;
  value?: string | { value: string } | null;
}

/** The part of a JavaScript syntax tree that is plain data. */
export interface Expression {
  type: string;
  value?: unknown;
  elements?: (Expression | null)[];
  properties?: { type: string; key?: { name?: string; value?: unknown }; value?: Expression }[];
  quasis?: { value: { cooked?: string | null } }[];
  expressions?: Expression[];
}

/** Data written into a component: `content={[{ name: 'x', type: 'string' }]}`. No code runs. */
export function attributeData(node: Node): unknown[] {
  return (node.attributes ?? []).flatMap(({ value }) => {
    if (typeof value !== 'object' || !value || !/^\s*[[{]/.test(value.value)) return [];
    const data = parsed(value.value);
    return typeof data === 'object' && data !== null ? [data] : [];
  });
}

function parsed(source: string): unknown {
  try {
    return plainData(parseExpressionAt(source, 0, { ecmaVersion: 2024 }) as Expression);
  } catch {
    return undefined; // Not JavaScript, so there is nothing to show.
  }
}

export function plainData(expression: Expression): unknown {
  switch (expression.type) {
    case 'Literal':
      return typeof expression.value === 'object' ? undefined : expression.value;
    case 'TemplateLiteral':
      return expression.expressions?.length
        ? undefined
        : (expression.quasis?.[0]?.value.cooked ?? undefined);
    case 'ArrayExpression':
      return expression.elements?.map((one) => one && plainData(one));
    case 'ObjectExpression':
      return Object.fromEntries(
        (expression.properties ?? []).flatMap(({ key, value }) =>
          key && value ? [[String(key.name ?? key.value), plainData(value)]] : [],
        ),
      );
    default:
      return undefined;
  }
}

/** The text of an attribute: `title="x"`, `title={'x'}`. `undefined` if it is computed. */
export function attribute(node: Node, ...names: string[]): string | undefined {
  for (const name of names) {
    const found = node.attributes?.find(
      (one) => one.type === 'mdxJsxAttribute' && one.name === name,
    );
    const value = found?.value;
    const text = typeof value === 'string' ? value : value ? literal(value.value) : undefined;
    if (text?.trim()) return text.trim().replaceAll(/\s+/g, ' ');
  }
  return undefined;
}

/** The text of a `{'string'}` expression. `undefined` if it would have to run. */
export function literal(expression: string): string | undefined {
  const match = /^\s*(["'`])([\s\S]*)\1\s*$/.exec(expression);
  const [, quote, body] = match ?? [];
  if (quote === undefined || body === undefined) return undefined;
  if (new RegExp(`(?<!\\\\)${quote}`).test(body) || (quote === '`' && body.includes('${'))) return;
  return body.replaceAll(/\\(["'`\\])/g, '$1').replaceAll('\\n', '\n');
}

/** Reference-style links: label -> address. */
export function definitionsIn(
  nodes: Node[],
  found = new Map<string, string>(),
): Map<string, string> {
  for (const node of nodes) {
    if (node.type === 'definition' && node.identifier && !found.has(node.identifier)) {
      found.set(node.identifier, node.url ?? '');
    }
    if (node.children) definitionsIn(node.children, found);
  }
  return found;
}

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
