/** Includes of MkDocs: snippets, mdx_include, markdown-include, include-markdown, and FastAPI's own. */
import { posix } from 'node:path';
import { joinFile } from '../generators/paths.ts';
import type { FindIncludes, Found, Include, Picked, Reading } from './include.ts';
import { type LineRange, pickLines, pickSection, withoutSectionMarks } from './pick.ts';

const snippetLine = /^([ \t]*)(;?)-+8<-+(?:[ \t]+(["'])(.*)\3)?[ \t]*$/;
const includeLine = /^[ \t]*\{!>?([^!]+)!([^{}]*)\}[ \t]*$/;
const variantLine = /^[ \t]*\{\*[ \t]+(\S+)((?:[ \t]+[a-z_]+\[[^\]]*\])*)[ \t]*\*\}[ \t]*$/;
const templateLine =
  /^[ \t]*\{%-?[ \t]*include(-markdown)?[ \t\n]+(["'])([^"'\n]+)\2([^%]*)%\}[ \t]*$/;
/** Maximum length of an include that spans several lines. */
const maxTemplate = 2_000;
const maxBlock = 1_000;

export const findMkDocsIncludes: FindIncludes = (reading) => {
  const { text } = reading;
  if (!/8<-|\{[!*%]/.test(text)) return [];
  const found: Found[] = [];
  for (let start = 0; start < text.length;) {
    const end = endOfLine(text, start);
    const line = text.slice(start, end).replace(/\r$/, '');
    const inLine = readLine(line, start, end, reading);
    found.push(...inLine);
    start = (inLine.at(-1)?.end ?? end) + 1;
  }
  return found;
};

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at;
}

/** What reads each syntax. Without one of them, it's text, such as an example. */
const extensions = {
  snippet: /^pymdownx\.snippets$/,
  text: /^(mdx_include|markdown_include)/,
  variant: /^(markdown_)?include_variants|^mdx_include|^markdown_include/,
  template: /include-markdown|^macros$/,
};

function readLine(line: string, start: number, end: number, reading: Reading): Found[] {
  const { extensions: switchedOn } = reading.site.layout;
  const isOn = (syntax: keyof typeof extensions) =>
    switchedOn === undefined || switchedOn.some((one) => extensions[syntax].test(one));
  if (line.includes('8<-')) return isOn('snippet') ? readSnippet(line, start, end, reading) : [];
  const block = (include: Include): Found[] => [{ start, end, include, isBlock: true }];
  const [, path, rest = ''] = (isOn('text') && includeLine.exec(line)) || [];
  if (path !== undefined) return block(textInclude(path, rest, line, reading));
  const [, file, options = ''] = (isOn('variant') && variantLine.exec(line)) || [];
  if (file !== undefined) {
    const lines = /\bln\[([^[\]]*)\]/.exec(options)?.[1];
    return block({
      ...includeOf(file, line.trim(), reading),
      as: 'code',
      ...(lines !== undefined && { pick: (text: string) => pickLines(text, rangesOf(lines)) }),
    });
  }
  const isTemplate = isOn('template') && /^[ \t]*\{%-?[ \t]*include\b/.test(line);
  return isTemplate ? readTemplate(start, reading) : [];
}

function readSnippet(line: string, start: number, end: number, reading: Reading): Found[] {
  const [, indent = '', escape, quote, path] = snippetLine.exec(line) ?? [];
  if (escape === undefined) return [];
  if (escape !== '') return [{ start, end, text: line.replace(';', ''), isBlock: false }];
  if (quote !== undefined) {
    return [{ start, end, include: snippet(path ?? '', reading), isBlock: true }];
  }
  return readSnippetBlock(start, end, indent, reading);
}

/** One file in each line, up to the next mark. Without an end, the mark has no meaning. */
function readSnippetBlock(start: number, end: number, indent: string, reading: Reading): Found[] {
  const { text } = reading;
  const mark = (from: number, to: number): Found => ({
    start: from,
    end: to,
    text: indent,
    isBlock: false,
  });
  const found = [mark(start, end)];
  for (let at = end + 1; at < text.length && found.length <= maxBlock;) {
    const next = endOfLine(text, at);
    const line = text.slice(at, next).replace(/\r$/, '');
    if (snippetLine.test(line)) return [...found, mark(at, next)];
    const name = line.trim();
    if (name.startsWith(';')) found.push(mark(at, next));
    else if (name !== '')
      found.push({ start: at, end: next, include: snippet(name, reading), isBlock: true });
    at = next + 1;
  }
  return [mark(start, end)];
}

/** `file.md`, `file.md:section`, `file.md:4:6`, `file.md:1:3,5:6`. */
function snippet(written: string, reading: Reading): Include {
  const name = written.trim();
  const section = /^(?!https?:)(.+?):([A-Za-z][\w.-]*)$/.exec(name);
  const lines = section ? null : /^([^:]+):([-\d:,]+)$/.exec(name);
  const [, path = name, part = ''] = section ?? lines ?? [];
  const picked = (text: string): Picked =>
    section ? pickSection(text, part) : pickLines(text, part.split(',').map(snippetRange));
  return {
    ...includeOf(path, `--8<-- "${name}"`, reading),
    as: 'text',
    pick(text) {
      const result: Picked = section || lines ? picked(text) : { text };
      return 'text' in result ? { text: withoutSectionMarks(result.text) } : result;
    },
  };
}

/** `4:6` is both lines and all between them, `4` everything from there, and `:6` everything up to there. */
function snippetRange(range: string): LineRange {
  const [from = '', to = ''] = range.split(':');
  return [numberOf(from), numberOf(to)];
}

function numberOf(text: string): number | undefined {
  const number = Number.parseInt(text, 10);
  return Number.isNaN(number) ? undefined : number;
}

/** `1-10,14,-5` and `1:10`. A line without a second one is alone. */
function rangesOf(text: string): LineRange[] {
  return text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part): LineRange => {
      const [, from = '', to = ''] = /^(\d*)[-:](\d*)$/.exec(part) ?? [];
      return from + to === '' ? [Number(part), Number(part)] : [numberOf(from), numberOf(to)];
    });
}

/** `{! a.md !}`, `{! a.md [ln:1-3] !}`, `{! a.md!lines=1 3-5 }`. */
function textInclude(path: string, rest: string, line: string, reading: Reading): Include {
  const inner = /\[ln:([^[\]]*)\]/.exec(path)?.[1];
  const lines = inner ?? /\blines=([\d\s,-]*)/.exec(rest)?.[1];
  const name = path.replace(/\[ln:[^[\]]*\]/, '').split('|')[0] ?? '';
  return {
    ...includeOf(name.trim(), line.trim(), reading),
    as: 'text',
    ...(lines !== undefined && { pick: (text: string) => pickLines(text, rangesOf(lines)) }),
  };
}

/** `{% include-markdown "../README.md" start="…" end="…" %}` and `{% include "a.md" %}`. */
function readTemplate(start: number, reading: Reading): Found[] {
  const { text, file, site } = reading;
  const close = text.slice(start, start + maxTemplate).indexOf('%}');
  if (close < 0) return [];
  const end = endOfLine(text, start + close);
  const whole = text.slice(start, end).replace(/\r$/, '');
  const [, , , path, options = ''] = templateLine.exec(whole) ?? [];
  if (path === undefined) return [];
  const mark = (name: string) =>
    new RegExp(`\\b${name}=(["'])(.*?)\\1`, 's').exec(options)?.[2]?.replaceAll('\\n', '\n');
  const [from, to] = [mark('start'), mark('end')];
  const pages = site.layout.mounts[0]?.folder ?? '';
  const include: Include = {
    ...includeOf(path, whole.trim(), reading),
    files: [joinFile(posix.dirname(file), path), joinFile(pages, path)],
    as: 'text',
    pick: (content) => pickBetween(content, from, to),
  };
  return [{ start, end, include, isBlock: true }];
}

function pickBetween(text: string, from: string | undefined, to: string | undefined): Picked {
  const start = from === undefined ? 0 : text.indexOf(from);
  if (start < 0) return { reason: `the file has no "${from}"` };
  const rest = text.slice(start + (from?.length ?? 0));
  const end = to === undefined ? -1 : rest.indexOf(to);
  return { text: end < 0 ? rest : rest.slice(0, end) };
}

/** Paths start at the folders that the settings name, or at the folder of the settings. */
function includeOf(path: string, written: string, { file, site }: Reading): Omit<Include, 'as'> {
  const { siteFolder, includePaths, mounts } = site.layout;
  if (/^https?:/.test(path)) return { written, files: [], reason: 'it is on the web' };
  const folders = [...includePaths, siteFolder, mounts[0]?.folder ?? '', posix.dirname(file)];
  return { written, files: [...new Set(folders.map((folder) => joinFile(folder, path)))] };
}
