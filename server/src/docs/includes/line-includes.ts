/** Includes of VitePress, docsify, and mdBook, and the tags of templates. */
import { posix } from 'node:path';
import { joinFile } from '../generators/paths.ts';
import { findCode } from './code-ranges.ts';
import type { FindIncludes, Found, Include, Picked, Reading } from './include.ts';
import { pickHeading, pickLines, pickRegion, toLines } from './pick.ts';

/** `<!--@include: ./a.md#region{3,10}-->` anywhere, and `<<< @/a.ts#region{2 ts} [title]` outside code. */
export const findVitePressIncludes: FindIncludes = (reading) => {
  const { text } = reading;
  if (!text.includes('@include:') && !text.includes('<<<')) return [];
  const code = findCode(text);
  const found: Found[] = [];
  for (const match of text.matchAll(/<!--[ \t]*@(@?)include:([^\n<>]*)-->/g)) {
    const [whole, escape, path = ''] = match;
    const start = match.index;
    const end = start + whole.length;
    if (code.has(start) && !code.hasBlock(start)) continue;
    if (escape !== '') {
      found.push({ start, end, text: whole.replace('@@', '@'), isBlock: false });
      continue;
    }
    const isCode = reading.isCode || code.hasBlock(start);
    found.push({
      ...ownLines(text, start, end),
      include: markdownInclude(path.trim(), whole, isCode, reading),
    });
  }
  if (!reading.isCode) {
    for (const match of text.matchAll(/^([ \t>]*)<<<(?!<)[ \t]*(\S.*)$/gm)) {
      const [whole, , path = ''] = match;
      const end = match.index + whole.length;
      if (code.has(match.index + whole.indexOf('<<<'))) continue;
      found.push({
        start: match.index,
        end,
        include: codeInclude(path.trimEnd(), reading),
        isBlock: true,
      });
    }
  }
  return found.sort((one, other) => one.start - other.start);
};

/** The whole lines, if nothing else is on them. */
export function ownLines(text: string, start: number, end: number): Omit<Found, 'include'> {
  let from = start;
  while (/[ \t>]/.test(text.charAt(from - 1))) from -= 1;
  let to = end;
  while (/[ \t\r]/.test(text.charAt(to))) to += 1;
  const isBlock = /^\n?$/.test(text.charAt(from - 1)) && /^\n?$/.test(text.charAt(to));
  return isBlock ? { start: from, end: to, isBlock } : { start, end, isBlock };
}

function filesOf(path: string, { file, site }: Reading): string[] {
  const source = site.layout.mounts[0]?.folder ?? '';
  return path.startsWith('@')
    ? [joinFile(source, path.slice(1))]
    : [joinFile(posix.dirname(file), path)];
}

function markdownInclude(raw: string, written: string, isCode: boolean, reading: Reading): Include {
  const [, path = raw, from = '', to = ''] = /^(.*)\{(\d*),(\d*)\}$/.exec(raw) ?? [];
  const hasRange = path !== raw;
  const [, bare = path, region] = /^(.*)#([^\s#{]+)$/.exec(path) ?? [];
  return {
    written,
    files: filesOf(bare.trim(), reading),
    as: isCode ? 'text' : 'markdown',
    hasOwnLinks: true,
    pick(text) {
      const part = region === undefined ? { text } : pickPart(text, region);
      if ('reason' in part || !hasRange) return part;
      return pickLines(part.text, [[from ? Number(from) : undefined, to ? Number(to) : undefined]]);
    },
  };
}

function pickPart(text: string, name: string): Picked {
  const region = pickRegion(text, name);
  return 'reason' in region ? pickHeading(text, name) : region;
}

/** The braces only highlight lines, and may name a language. */
function codeInclude(raw: string, reading: Reading): Include {
  const bracket = raw.endsWith(']') ? raw.lastIndexOf('[') : -1;
  const title = bracket < 0 ? undefined : raw.slice(bracket + 1, -1);
  const untitled = bracket < 0 ? raw : raw.slice(0, bracket).trimEnd();
  const brace = untitled.endsWith('}') ? untitled.lastIndexOf('{') : -1;
  const meta = brace < 0 ? '' : untitled.slice(brace + 1, -1);
  const language = meta
    .split(/[\s:]+/)
    .find((word) => /^[a-z]/i.test(word) && word !== 'line-numbers');
  const path = (brace < 0 ? untitled : untitled.slice(0, brace)).trim();
  const [, bare = path, region] = /^(.*)#([\w.-]+)$/.exec(path) ?? [];
  return {
    written: `<<< ${raw}`,
    files: filesOf(bare, reading),
    as: 'code',
    language,
    title: title ?? posix.basename(bare),
    ...(region !== undefined && { pick: (text: string) => pickRegion(text, region) }),
  };
}

/** docsify: `[title](a.md ':include')`, `[title](a.js ':include :type=code :fragment=demo')`. */
export const findDocsifyIncludes: FindIncludes = (reading) => {
  const { text, file } = reading;
  if (reading.isCode || !text.includes(':include')) return [];
  const code = findCode(text);
  const found: Found[] = [];
  for (const match of text.matchAll(
    /\[([^[\]\n]*)\]\(([^\s()]+)[ \t]+(["'])(:include\b[^"'\n]*)\3\)/g,
  )) {
    if (code.has(match.index)) continue;
    const [written, , path = '', , options = ''] = match;
    const fragment = /:fragment=([\w-]+)/.exec(options)?.[1];
    const kind = /:type=(\w+)/.exec(options)?.[1];
    const language = /:type=code[ \t]+(?!:)([\w+#-]+)/.exec(options)?.[1];
    const isPage = kind === 'markdown' || (kind === undefined && /\.(md|markdown)$/i.test(path));
    const isCode = kind === 'code' || (kind === undefined && !isPage);
    // Frames, pictures, and sounds have no text.
    const isText = (isPage || isCode) && !/\.(html?|mp[34]|png|jpe?g|gif|svg)$/i.test(path);
    found.push({
      ...ownLines(text, match.index, match.index + written.length),
      ...(isText
        ? {
            include: {
              written,
              files: [
                joinFile(posix.dirname(file), path),
                joinFile(reading.site.layout.siteFolder, path),
              ],
              as: isCode ? ('code' as const) : ('markdown' as const),
              hasOwnLinks: true,
              language,
              ...(fragment !== undefined && {
                pick: (content: string) => pickFragment(content, fragment),
              }),
            },
          }
        : { text: '' }),
    });
  }
  return found;
};

/** From `### [demo]` to the next `### [demo]`. */
function pickFragment(text: string, name: string): Picked {
  const lines = text.split('\n');
  const isMark = (line: string) => line.includes(`### [${name}]`);
  const start = lines.findIndex(isMark);
  if (start < 0) return { reason: `the file has no fragment "${name}"` };
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(isMark);
  return { text: rest.slice(0, end < 0 ? undefined : end).join('\n') };
}

/**
 * As mdBook's links preprocessor reads them: `{{#include a.rs:2:10}}`, `{{#rustdoc_include a.rs:anchor}}`, `{{#playground a.rs editable}}`, in code
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
          ...(part.length > 0 && { pick: (content: string) => pickLinesOrAnchor(content, part) }),
        },
      });
    }
  }
  return found;
};

/** `:name`, `:4`, `:2:10`, `:2:`, `::10`. */
function pickLinesOrAnchor(text: string, part: readonly string[]): Picked {
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

/**
 * Lines of nothing but template tags, which no reader sees: `{% hint style="info" %}` of GitBook, Liquid, and
 * Nunjucks, `{{< note >}}` of Hugo. The title of a tab or of a file is text.
 */
export const findTemplateTags: FindIncludes = ({ text, isCode }) => {
  const lines = /^[ \t]*(?:\{%[^%\n]{1,500}%\}|\{\{[<%][^<>%\n]{1,500}[>%]\}\})[ \t]*$/gm;
  if (isCode || !/\{%|\{\{[<%]/.test(text)) return [];
  const code = findCode(text);
  return [...text.matchAll(lines)].flatMap(({ 0: line, index: start }): Found[] => {
    if (code.has(start)) return [];
    const title = /^[^\w/]*(?:tab|tabitem|code)\b.*?\b(?:title|name|header)=(["'])(.*?)\1/i.exec(
      line,
    )?.[2];
    const shown =
      title === undefined ? '' : `**${title.replaceAll(/[\\*_[\]<>`]/g, String.raw`\$&`)}**\n`;
    return [{ start, end: start + line.length, text: shown, isBlock: true }];
  });
};
