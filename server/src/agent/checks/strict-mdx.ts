/** The grammar of MDX, loaded with the first page that is checked for it. */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdxjs } from 'micromark-extension-mdxjs';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';

/** The grammar as a build has it, with the JavaScript in braces: other than the index, one page at a time has the time for it. */
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
