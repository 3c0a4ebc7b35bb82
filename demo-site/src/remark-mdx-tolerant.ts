/**
 * Parses MDX without parsing the JavaScript in it. `remark-mdx` parses long expressions again for each
 * line: 300 pages took 13 s instead of 3 s. `jsx.ts` evaluates literals later and runs no code.
 */
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdx } from 'micromark-extension-mdx';
import type { Processor } from 'unified';

export function remarkMdxTolerant(this: Processor): void {
  const data = this.data();
  (data.micromarkExtensions ??= []).push(mdx());
  (data.fromMarkdownExtensions ??= []).push(mdxFromMarkdown());
}
