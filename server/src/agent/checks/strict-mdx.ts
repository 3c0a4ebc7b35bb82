/** The MDX parser. It is loaded with the first page that needs it. */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdxjs } from 'micromark-extension-mdxjs';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';

/** Parses MDX as a build does, including the JavaScript in braces. The index leaves that out to save time. */
export const strict = unified()
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
