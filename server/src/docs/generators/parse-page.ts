/** Reads the Markdown of a page as its generator does: every heading of the tree has its anchor. */
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { type Parsed, parseMarkdown } from '../markdown/parse-markdown.ts';
import { fromPythonMarkdown } from '../markdown/python-markdown.ts';
import { type AnchorRule, setAnchors } from './anchors.ts';

export interface ParsedPage extends Parsed {
  /** The line in the file of a line in the tree. */
  lineOf: (line: number) => number;
}

export function parsePage(text: string, file: string, anchors: AnchorRule): ParsedPage {
  const isMdx = /\.mdx$/i.test(file);
  // Sites with Python's anchors are written in Python's Markdown.
  const body = withoutFrontmatter(text);
  const converted = anchors.startsWith('python') ? fromPythonMarkdown(body) : undefined;
  const parsed = parseMarkdown(converted?.text ?? body, isMdx);
  setAnchors(parsed.tree, parsed.source, anchors);
  return { ...parsed, lineOf: (line) => converted?.lines[line - 1] ?? line };
}
