/**
 * Converts Python-Markdown, which MkDocs uses, to CommonMark. It indents the bodies of admonitions and
 * tabs, which would make them code.
 */

/** `!!! note "Title"`, `??? tip`, `???+ info inline end "…"`, `=== "Tab"`, `===! "Tab"`. */
const opening = /^([ \t]*)(?:(?:!!!|\?\?\?\+?)[ \t]+([\w -]*?)|===[!+]*)(?:[ \t]+"(.*)")?[ \t]*$/;

/** `lines` maps each line of the text to its line in the Markdown. */
export function fromPythonMarkdown(markdown: string): { text: string; lines: number[] } {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n');
  const shown: string[] = [];
  const numbers: number[] = [];
  /** Indentation of the open blocks, outermost first. */
  const open: number[] = [];
  let fence: { mark: string; column: number } | undefined;
  for (const [index, line] of lines.entries()) {
    while (numbers.length < shown.length) numbers.push(index);
    if (line.trim() === '') {
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
    const block = opening.exec(text);
    if (block && (block[2] !== undefined || block[3] !== undefined)) {
      const [, indent = '', kinds = '', title] = block;
      const kind = kinds.trim().split(' ')[0] ?? '';
      const name = title ?? kind.charAt(0).toUpperCase() + kind.slice(1);
      shown.push('', ...(name ? [`${indent}**${name}**`, ''] : []));
      open.push(column + 4);
      continue;
    }
    // Includes, attribute lists, and the table of contents have no text for readers.
    if (/^\s*(-{1,}8<-{1,}.*|;-{1,}8<-{1,}.*|\{:?\s*[.#][^{}]*\}|\[TOC\])\s*$/.test(text)) continue;
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
    return line
      .replace(/\s*\{:?(?![^{}]*(?:#|\bid=))[^{}]*\}\s*$/, '')
      .replaceAll(/:[a-z][a-z\d_+-]*:/g, '');
  }
  return line
    .replaceAll(/:(?:material|fontawesome|octicons|simple)-[\w-]+:(?:\{[^{}]*\})?/g, '')
    .replaceAll(/(?<=[)\]*`])\{:?\s*[.#a-z][^{}]*\}/g, '');
}
