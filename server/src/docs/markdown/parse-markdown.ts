import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdx as mdxSyntax } from 'micromark-extension-mdx';
import { mdxjsEsm } from 'micromark-extension-mdxjs-esm';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';
import { replaceBetween } from '../../platform/text.ts';
import type { Node } from './nodes.ts';

const plain = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkFrontmatter, ['yaml', 'toml'])
  .freeze();
const mdx = plain().use(remarkLightMdx).freeze();

/**
 * Reads MDX without parsing the JavaScript in braces. The usual `remark-mdx` parses long expressions
 * again for each of their lines: 303 pages took 11 s, now 5 s. `import` and `export` are parsed, because
 * nothing else shows where they end.
 */
function remarkLightMdx(this: Processor): void {
  const data = this.data();
  const acornOptions = { ecmaVersion: 2024, sourceType: 'module' } as const;
  (data.micromarkExtensions ??= []).push(
    mdxSyntax(),
    mdxjsEsm({ acorn: Parser.extend(jsx()), acornOptions }),
  );
  (data.fromMarkdownExtensions ??= []).push(mdxFromMarkdown());
}

export interface Parsed {
  tree: Node;
  /** The text that positions in the tree refer to. */
  markdown: string;
  /** Why a `.mdx` file was read as plain Markdown. */
  problem?: { line: number | undefined; reason: string };
}

/**
 * Reads Markdown or MDX. A `.md` file with components or imports is tried as MDX first, as in
 * Docusaurus. If that fails, there is no problem to report, because most generators read such a file as
 * plain Markdown.
 */
export function parseMarkdown(markdown: string, isMdx: boolean): Parsed {
  if (isMdx || looksLikeMdx(markdown)) {
    try {
      const masked = mask(markdown);
      return { tree: unmask(mdx.parse(masked) as Node), markdown };
    } catch (error) {
      const tree = plain.parse(markdown) as Node;
      return isMdx ? { tree, markdown, problem: problemOf(error) } : { tree, markdown };
    }
  }
  return { tree: plain.parse(markdown) as Node, markdown };
}

function looksLikeMdx(markdown: string): boolean {
  return /^(import\s.+\sfrom\s+['"]|export\s+(const|default|function)\s)|<[A-Z][A-Za-z.]*[\s/>]/m.test(
    markdown,
  );
}

function problemOf(error: unknown): { line: number | undefined; reason: string } {
  const { reason, line } = error as { reason?: string; line?: number };
  return { line: line ?? undefined, reason: reason ?? String(error) };
}

/*
 * Sites accept two things in MDX that its parser rejects: `## Title {#id}` and HTML comments. Both are
 * replaced by text of the same length, so that positions stay the same, and restored in code.
 */
function mask(markdown: string): string {
  const withIds = replaceHeadingIds(markdown, (id) => `\uE000${id}\uE001`);
  return replaceBetween(withIds, ['<!--', '-->'], (inner, whole) =>
    inner.includes('*/') ? whole : `{/*\uE002${inner}*/}`,
  );
}

/** Replaces the `{#id}` at the end of each heading's line. */
export function replaceHeadingIds(markdown: string, replacement: (id: string) => string): string {
  return markdown.replaceAll(/^#{1,6}[ \t].*\}[ \t]*$/gm, (line) => {
    const end = line.trimEnd();
    const at = end.lastIndexOf('{');
    const id = end.slice(at + 1, -1);
    if (at < 0 || !/^#[^{}\s]+$/.test(id)) return line;
    return line.slice(0, at) + replacement(id) + line.slice(end.length);
  });
}

function unmask(node: Node): Node {
  if (node.value !== undefined) node.value = unmaskText(node.value);
  node.children?.forEach(unmask);
  return node;
}

function unmaskText(text: string): string {
  if (!/[\uE000-\uE002]/.test(text)) return text;
  const plainText = text.replaceAll('\uE000', '{').replaceAll('\uE001', '}');
  return replaceBetween(plainText, ['{/*\uE002', '*/}'], (inner) => `<!--${inner}-->`);
}
