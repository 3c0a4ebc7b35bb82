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

/** Throws where a build would fail. Positions are those of the text. */
export function parseStrictMdx(text: string): Node {
  return strict.parse(masked(text)) as Node;
}

/** Sites process comments and `{#id}` before they parse MDX. */
function masked(text: string): string {
  return withoutFrontmatter(text)
    .replaceAll(/^(#{1,6}\s.*)\{(#[^{}\s]+)\}([ \t]*)$/gm, '$1 $2 $3')
    .replaceAll(/<!--[\s\S]*?(?:-->|(?![\s\S]))/g, (comment) =>
      comment.endsWith('-->') ? comment.replaceAll(/[^\n]/g, ' ') : comment,
    );
}
