/** Parses a page as its generator does. Every heading in the tree has its anchor. */
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { type Parsed, parseMarkdown } from '../markdown/parse-markdown.ts';
import { fromPythonMarkdown } from '../markdown/python-markdown.ts';
import { type AnchorRule, setAnchors } from './anchors.ts';

export interface ParsedPage extends Parsed {
  /** Converts a line number of the tree to one of the file. */
  lineOf: (line: number) => number;
}

export function parsePage(text: string, file: string, anchors: AnchorRule): ParsedPage {
  const isMdx = /\.mdx$/i.test(file);
  // Sites with Python's anchors use Python-Markdown.
  const body = withoutFrontmatter(text);
  const converted = anchors.startsWith('python') ? fromPythonMarkdown(body) : undefined;
  const parsed = parseMarkdown(converted?.text ?? body, isMdx);
  setAnchors(parsed.tree, parsed.source, anchors);
  return { ...parsed, lineOf: (line) => converted?.lines[line - 1] ?? line };
}
