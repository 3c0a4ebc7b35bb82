/** Parses a page as its generator does. Every heading in the tree has its anchor. */
import { type AnchorRule, setAnchors } from './anchors.ts';
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { type Parsed, parseMarkdown } from '../markdown/parse-markdown.ts';
import { fromPythonMarkdown } from '../markdown/python-markdown.ts';
import type { Line } from '../includes/pieces.ts';

export interface ParsedPage extends Parsed {
  /** Converts a line number of the tree to one of the file. */
  lineOf: (line: number) => number;
  /** The same, with the file that the line was included from. */
  originOf: (line: number) => Line;
}

/** `lines`: where the lines of the text come from, if other files were included. */
export function parsePage(
  text: string,
  file: string,
  anchors: AnchorRule,
  lines?: readonly Line[],
): ParsedPage {
  const isMdx = /\.mdx$/i.test(file);
  // Sites with Python's anchors use Python-Markdown.
  const body = withoutFrontmatter(text);
  const converted = anchors.startsWith('python') ? fromPythonMarkdown(body) : undefined;
  const parsed = parseMarkdown(converted?.text ?? body, isMdx);
  setAnchors(parsed.tree, parsed.markdown, anchors);
  const originOf = (line: number): Line => {
    const own = converted?.lines[line - 1] ?? line;
    return lines?.[own - 1] ?? { line: own };
  };
  return { ...parsed, originOf, lineOf: (line) => originOf(line).line };
}
