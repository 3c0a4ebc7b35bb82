/** Turns MDX syntax into HTML elements for `components.ts`. Never runs code. */
import type { Element, ElementContent, Properties } from 'hast';
import { parseExpressionAt } from 'acorn';
import type { MdxJsxFlowElement, MdxJsxTextElement } from 'mdast-util-mdx-jsx';
import type { Options } from 'remark-rehype';

/** An attribute value that isn't a string, such as a list of cards. */
export type Value = string | number | boolean | null | Value[] | { [name: string]: Value };

declare module 'hast' {
  interface ElementData {
    /** Attribute values that plain HTML can't represent. */
    values?: Record<string, Value>;
  }
}

type Handlers = NonNullable<Options['handlers']>;
type Handler = NonNullable<Handlers['paragraph']>;
type State = Parameters<Handler>[0];
type JsxNode = MdxJsxFlowElement | MdxJsxTextElement;

const nothing: Handler = () => undefined;

export const jsxHandlers: Handlers = {
  mdxJsxFlowElement: jsxElement,
  mdxJsxTextElement: jsxElement,
  mdxFlowExpression: nothing,
  mdxTextExpression: (_state: State, node: { value: string }) => {
    const value = parseLiteral(node.value);
    return typeof value === 'string' ? { type: 'text', value } : undefined;
  },
  mdxjsEsm: nothing,
};

function jsxElement(state: State, node: JsxNode): Element {
  const properties: Properties = {};
  const values: Record<string, Value> = {};
  for (const attribute of node.attributes) {
    if (attribute.type !== 'mdxJsxAttribute') continue;
    const { name, value } = attribute;
    if (value === null || value === undefined) properties[htmlName(name)] = true;
    else if (typeof value === 'string') properties[htmlName(name)] = value;
    else {
      const literal = parseLiteral(value.value);
      if (typeof literal === 'object' && literal !== null) values[name] = literal;
      else if (literal !== undefined && literal !== null) properties[htmlName(name)] = literal;
    }
  }
  const children: ElementContent[] = state.all(node);
  const tagName = (node.name ?? 'div').toLowerCase();
  // Another HTML parser's types make `position` required on all elements.
  const data = { values } as unknown as NonNullable<Element['data']>;
  return { type: 'element', tagName, properties, children, data };
}

function htmlName(name: string): string {
  return name === 'class' ? 'className' : name;
}

function parseLiteral(source: string): Value | undefined {
  const trimmed = source.trim();
  if (!/^['"`[{\d-]|^(true|false|null)$/.test(trimmed)) return undefined;
  try {
    return literalOf(parseExpressionAt(trimmed, 0, { ecmaVersion: 'latest' }));
  } catch {
    return undefined;
  }
}

/** An acorn syntax tree node: only the fields of literals. */
interface Expression {
  type: string;
  value?: unknown;
  elements?: unknown[];
  properties?: unknown[];
  quasis?: { value: { cooked?: string | null } }[];
  expressions?: unknown[];
  key?: { name?: string; value?: unknown };
}

/** The value of a literal expression. `undefined` if it would need to run code. */
function literalOf(node: unknown): Value | undefined {
  if (!isExpression(node)) return undefined;
  switch (node.type) {
    case 'Literal':
      return isPrimitive(node.value) ? node.value : undefined;
    case 'TemplateLiteral':
      return node.expressions?.length
        ? undefined
        : node.quasis?.map((quasi) => quasi.value.cooked ?? '').join('');
    case 'ArrayExpression':
      return node.elements?.map(literalOf).filter((value) => value !== undefined);
    case 'ObjectExpression': {
      const result: Record<string, Value> = {};
      for (const property of node.properties ?? []) {
        if (!isExpression(property) || property.type !== 'Property') continue;
        const name = property.key?.name ?? property.key?.value;
        const value = literalOf(property.value);
        if (typeof name === 'string' && value !== undefined) result[name] = value;
      }
      return result;
    }
    default:
      return undefined;
  }
}

function isExpression(node: unknown): node is Expression {
  return typeof node === 'object' && node !== null && 'type' in node;
}

function isPrimitive(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
