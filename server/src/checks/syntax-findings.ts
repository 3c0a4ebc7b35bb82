/** What a build of the documentation would stumble over: code that is never closed, MDX that is none. */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { mdxFromMarkdown } from 'mdast-util-mdx';
import { mdxjs } from 'micromark-extension-mdxjs';
import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkParse from 'remark-parse';
import { type Processor, unified } from 'unified';
import { finding, type Finding } from './finding.ts';
import type { PageFacts } from './page-facts.ts';

/** The grammar as a build has it, with the JavaScript in braces: other than the index, one page at a time has the time for it. */
const strict = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkFrontmatter, ['yaml', 'toml'])
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

export function findFenceFindings({ path, openFence }: PageFacts): Finding[] {
  if (openFence === undefined) return [];
  const message =
    'The code block that begins here is never closed. Write a line of as many ` or ~ as it begins with, and nothing else, after the code.';
  return [finding({ check: 'fences', path, line: openFence, message, key: 'open' })];
}

export function findMdxFindings({ path, text }: PageFacts, isMarkdownMdx: boolean): Finding[] {
  if (!/\.mdx$/i.test(path) && !isMarkdownMdx) return [];
  try {
    // Sites take comments and `{#id}` of headings before the grammar sees them.
    strict.parse(masked(text));
    return [];
  } catch (error) {
    const { reason, line } = error as { reason?: string; line?: number | null };
    const message = `This is not valid MDX: ${firstSentence(reason ?? String(error))}`;
    return [
      finding({
        check: 'mdx',
        path,
        line: line ?? undefined,
        message,
        // A page that was no MDX before is not blamed for its next mistake.
        key: 'invalid',
      }),
    ];
  }
}

function masked(text: string): string {
  return text
    .replaceAll(/(?<=^#{1,6}\s.*)\{(#[^{}\s]+)\}(?=[ \t]*$)/gm, ' $1 ')
    .replaceAll(/<!--[\s\S]*?-->/g, (comment) => comment.replaceAll(/[^\n]/g, ' '));
}

function firstSentence(reason: string): string {
  const text = reason.replaceAll(/\s+/g, ' ').slice(0, 300).trim();
  return /[.!?)]$/.test(text) ? text : `${text}.`;
}
