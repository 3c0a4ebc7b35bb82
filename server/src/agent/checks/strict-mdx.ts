/** Parses MDX as a build does, including the JavaScript in braces. The index leaves that out to save time. */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdxjs } from 'micromark-extension-mdxjs';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';
import { withoutFrontmatter } from '../../docs/markdown/frontmatter.ts';
import type { Node } from '../../docs/markdown/nodes.ts';
import { replaceHeadingIds } from '../../docs/markdown/parse-markdown.ts';
import { replaceBetween } from '../../platform/text.ts';

const strict = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(function strictMdx(this: Processor) {
    const data = this.data();
    (data.micromarkExtensions ??= []).push(
      mdxjs({
        acorn: Parser.extend(jsx()),
        acornOptions: { ecmaVersion: 2024, sourceType: 'module' },
        addResult: false,
      }),
    );
    (data.fromMarkdownExtensions ??= []).push(mdxFromMarkdown());
  })
  .freeze();

/** Where a build would fail. */
export interface MdxProblem {
  reason: string;
  line: number | undefined;
}

export function findMdxProblem(text: string): MdxProblem | undefined {
  try {
    parseStrictMdx(text);
    return undefined;
  } catch (error) {
    const { reason, line } = error as { reason?: string; line?: number | null };
    return { reason: reason ?? String(error), line: line ?? undefined };
  }
}

/** Throws where a build would fail. Positions are those of the text. */
export function parseStrictMdx(text: string): Node {
  return strict.parse(masked(text)) as Node;
}

/** Sites process comments and `{#id}` before they parse MDX. */
function masked(text: string): string {
  const withoutIds = replaceHeadingIds(withoutFrontmatter(text), (id) => ` ${id} `);
  return replaceBetween(withoutIds, ['<!--', '-->'], (_, comment) =>
    comment.replaceAll(/[^\n]/g, ' '),
  );
}
