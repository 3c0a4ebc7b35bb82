/** Parses a page as its generator does. Every heading in the tree has its anchor. */
import { type AnchorRule, setAnchors } from './anchors.ts';
import { withoutFrontmatter } from '../markdown/frontmatter.ts';
import { type Parsed, parseMarkdown } from '../markdown/parse-markdown.ts';
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

// Python-Markdown, which MkDocs uses, indents the bodies of admonitions and tabs, which would make them code.

/** `!!! note "Title"`, `??? tip`, `???+ info inline end "…"`, `=== "Tab"`, `===! "Tab"`. */
function readOpening(line: string): { indent: string; name: string } | undefined {
  const [, indent = '', mark] = /^([ \t]*)(!!!|\?\?\?\+?|===[!+]*)(?=[ \t])/.exec(line) ?? [];
  if (mark === undefined) return undefined;
  const rest = line.slice(indent.length + mark.length).trim();
  const quote = rest.indexOf('"');
  const kinds = quote < 0 ? rest : rest.slice(0, quote);
  const isTitled = quote >= 0 && rest.length > quote + 1 && rest.endsWith('"');
  const isSpaced = quote <= 0 || /[ \t]$/.test(kinds);
  if ((quote >= 0 && !isTitled) || !isSpaced || !/^[\w -]*$/.test(kinds.trim())) return undefined;
  if (mark.startsWith('===') && (kinds !== '' || !isTitled)) return undefined;
  const kind = kinds.trim().split(' ')[0] ?? '';
  const title = isTitled ? rest.slice(quote + 1, -1) : undefined;
  return { indent, name: title ?? kind.charAt(0).toUpperCase() + kind.slice(1) };
}

/** `/// note | Title`, `/// details | Title`, `/// tab | Title`, and `///` at the end. */
function readBlock(line: string): { mark: string; name: string | undefined } | undefined {
  const [, mark = '', kind, title] =
    /^[ \t]*(\/{3,})(?:[ \t]+([A-Za-z][\w-]*)[ \t]*(?:\|(.*))?)?$/.exec(line.trimEnd()) ?? [];
  if (mark === '') return undefined;
  if (kind === undefined) return { mark, name: undefined };
  if (/^(?:html|define|.*caption)$/.test(kind)) return { mark, name: '' };
  return { mark, name: title?.trim() || kind.charAt(0).toUpperCase() + kind.slice(1) };
}

/** `lines` maps each line of the text to its line in the Markdown. */
export function fromPythonMarkdown(markdown: string): { text: string; lines: number[] } {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  const shown: string[] = [];
  const numbers: number[] = [];
  /** Indentation of the open blocks, outermost first. */
  const open: number[] = [];
  /** Marks of the open `///` blocks. */
  const marks: string[] = [];
  let hasOptions = false;
  let fence: { mark: string; column: number } | undefined;
  for (const [index, line] of lines.entries()) {
    while (numbers.length < shown.length) numbers.push(index);
    if (line.trim() === '') {
      hasOptions = false;
      shown.push('');
      continue;
    }
    const column = /^[ \t]*/.exec(line)?.[0].replaceAll('\t', '    ').length ?? 0;
    while (!fence && open.length > 0 && column < (open.at(-1) ?? 0)) open.pop();
    const text = dedent(line, open.length * 4);
    if (fence) {
      shown.push(text);
      const isEnd = text.trim().startsWith(fence.mark) && /^[`~]+$/.test(text.trim());
      if (isEnd) fence = undefined;
      continue;
    }
    const mark = /^\s*(`{3,}|~{3,})/.exec(text)?.[1];
    if (mark !== undefined) {
      fence = { mark, column };
      shown.push(text);
      continue;
    }
    // `    open: True` right below the mark.
    hasOptions &&= /^\s+[\w-]+:(?:\s|$)/.test(text);
    if (hasOptions) continue;
    const slashes = readBlock(text);
    if (slashes?.name !== undefined) {
      marks.push(slashes.mark);
      hasOptions = true;
      const indent = /^[ \t]*/.exec(text)?.[0] ?? '';
      shown.push('', ...(slashes.name ? [`${indent}**${slashes.name}**`, ''] : []));
      continue;
    }
    if (slashes && marks.includes(slashes.mark)) {
      marks.length = marks.lastIndexOf(slashes.mark);
      shown.push('');
      continue;
    }
    const block = readOpening(text);
    if (block) {
      const { indent, name } = block;
      shown.push('', ...(name ? [`${indent}**${name}**`, ''] : []));
      open.push(column + 4);
      continue;
    }
    // Attribute lists, abbreviations, and the table of contents have no text for readers.
    if (/^(?:\{:?\s*[.#][^{}]*\}$|\*\[[^\]]*\]:|\[TOC\]$)/.test(text.trim())) continue;
    shown.push(withoutAttributes(text));
  }
  while (numbers.length < shown.length) numbers.push(lines.length);
  return { text: shown.join('\n'), lines: numbers };
}

function dedent(line: string, columns: number): string {
  let at = 0;
  for (let done = 0; done < columns && /[ \t]/.test(line.charAt(at)); at += 1) {
    done += line.charAt(at) === '\t' ? 4 : 1;
  }
  return line.slice(at);
}

/** `[a link](/x){ .md-button }`, `:octicons-x-16:`. The id of a heading stays. */
function withoutAttributes(line: string): string {
  if (/^\s{4,}/.test(line) && !/^\s*([-*+]|\d+[.)])\s/.test(line)) return line;
  if (/^#{1,6}\s/.test(line)) {
    // Braces without an id are for the theme. Emojis are pictures, not text.
    return withoutTheme(line).replaceAll(/:[a-z][a-z\d_+-]*:/g, '');
  }
  return line
    .replaceAll(/:(?:material|fontawesome|octicons|simple)-[\w-]+:(?:\{[^{}]*\})?/g, '')
    .replaceAll(/(?<=[)\]*`])\{:?\s*[.#a-z][^{}]*\}/g, '');
}

function withoutTheme(heading: string): string {
  const end = heading.trimEnd();
  const at = end.lastIndexOf('{');
  const inner = end.slice(at + 1, -1);
  const isTheme = end.endsWith('}') && at >= 0 && !/[}#]|\bid=/.test(inner);
  return isTheme ? end.slice(0, at).trimEnd() : heading;
}
