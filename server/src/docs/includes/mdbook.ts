/** Includes of mdBook, as its links preprocessor reads them. */
import { posix } from 'node:path';
import { joinFile } from '../generators/paths.ts';
import type { FindIncludes, Found, Picked } from './include.ts';
import { pickLines, toLines } from './pick.ts';
import { ownLines } from './vitepress.ts';

/**
 * `{{#include a.rs:2:10}}`, `{{#rustdoc_include a.rs:anchor}}`, `{{#playground a.rs editable}}`, in code
 * too. `{{#title}}` isn't shown, and a backslash before the braces means the braces themselves.
 */
export const findMdBookIncludes: FindIncludes = ({ text, file }) => {
  const found: Found[] = [];
  const marks = /(\\?)\{\{#(include|rustdoc_include|playground|title)[ \t]([^{}\n]*)\}\}/g;
  for (const match of text.matchAll(marks)) {
    const [written, escape, kind, given = ''] = match;
    const start = match.index;
    const end = start + written.length;
    if (escape !== '') {
      found.push({ start, end, text: written.slice(1), isBlock: false });
    } else if (kind === 'title') found.push({ ...ownLines(text, start, end), text: '' });
    else {
      const [path = '', ...part] = (given.trim().split(/\s/)[0] ?? '').split(':');
      found.push({
        ...ownLines(text, start, end),
        include: {
          written,
          files: [joinFile(posix.dirname(file), path)],
          // A playground is a code block by itself.
          ...(kind === 'playground' ? { as: 'code', language: 'rust' } : { as: 'text' }),
          ...(part.length > 0 && { pick: (content: string) => pickPart(content, part) }),
        },
      });
    }
  }
  return found;
};

/** `:name`, `:4`, `:2:10`, `:2:`, `::10`. */
function pickPart(text: string, part: readonly string[]): Picked {
  const [first = '', second] = part;
  if (first !== '' && !/^\d+$/.test(first)) return pickAnchor(text, first);
  const [from, to] = [first, second ?? first].map((one) => (one === '' ? undefined : Number(one)));
  return pickLines(text, [[from, to]]);
}

/** From `// ANCHOR: name` to `// ANCHOR_END: name`, without the marks of others inside. */
function pickAnchor(text: string, name: string): Picked {
  const markOf = (line: string) => /\bANCHOR(_END)?:[ \t]*([\w-]+)/.exec(line);
  const lines = toLines(text);
  const at = (isEnd: boolean) =>
    lines.findIndex((line) => {
      const mark = markOf(line);
      return mark?.[2] === name && (mark[1] !== undefined) === isEnd;
    });
  const [start, end] = [at(false), at(true)];
  if (start < 0) return { reason: `the file has no anchor "${name}"` };
  const inside = lines.slice(start + 1, end < 0 ? undefined : end);
  return { text: inside.filter((line) => !markOf(line)).join('\n') };
}
