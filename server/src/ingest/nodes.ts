/** The little that we need to know of a Markdown tree, whichever syntax extensions made it. */
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
  label?: string | null;
  /** Of an MDX component; `null` for a fragment. */
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

/** The text of an attribute: `title="x"`, `title={'x'}`; `undefined` where it is computed. */
export function attribute(node: Node, ...names: string[]): string | undefined {
  for (const name of names) {
    const found = node.attributes?.find((one) => one.type === 'mdxJsxAttribute' && one.name === name);
    const value = found?.value;
    const text = typeof value === 'string' ? value : value ? literal(value.value) : undefined;
    if (text?.trim()) return text.trim().replaceAll(/\s+/g, ' ');
  }
  return undefined;
}

/** What a `{'string'}` expression says; anything that would have to be run says nothing. */
export function literal(expression: string): string | undefined {
  const match = /^\s*(["'`])([\s\S]*)\1\s*$/.exec(expression);
  const [, quote, body] = match ?? [];
  if (quote === undefined || body === undefined) return undefined;
  if (new RegExp(`(?<!\\\\)${quote}`).test(body) || (quote === '`' && body.includes('${'))) return;
  return body.replaceAll(/\\(["'`\\])/g, '$1').replaceAll('\\n', '\n');
}
