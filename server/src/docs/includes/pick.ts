/** Parts of included files: lines, sections, regions, and headings. */
import { trimEndOf } from '../../platform/text.ts';
import { createSlugger } from '../generators/anchors.ts';
import { findCode } from './code-ranges.ts';
import type { Picked } from './include.ts';

/** First and last line, from 1. A negative line counts from the end; `undefined` is the first or the last. */
export type LineRange = readonly [from: number | undefined, to: number | undefined];

export function pickLines(text: string, ranges: readonly LineRange[]): Picked {
  const lines = toLines(text);
  const all = lines.length;
  const toLine = (line: number) => (line < 0 ? all + line + 1 : line);
  const picked = ranges.flatMap(([from = 1, to = all]) =>
    lines.slice(Math.max(toLine(from), 1) - 1, Math.max(toLine(to), 0)),
  );
  return picked.length > 0 ? { text: picked.join('\n') } : { reason: 'the file has no such lines' };
}

const sectionMark = /-8<-+[ \t]*\[[ \t]*(start|end)[ \t]*:[ \t]*([\w.-]+)[ \t]*\]/;

/** `# --8<-- [start:name]` up to `# --8<-- [end:name]`. */
export function pickSection(text: string, name: string): Picked {
  const lines = toLines(text);
  const isMark = (line: string, kind: string) => {
    const mark = sectionMark.exec(line);
    return mark?.[1] === kind && mark[2] === name;
  };
  const start = lines.findIndex((line) => isMark(line, 'start'));
  if (start < 0) return { reason: `the file has no section "${name}"` };
  const length = lines.slice(start).findIndex((line) => isMark(line, 'end'));
  return {
    text: dedent(lines.slice(start + 1, length < 0 ? undefined : start + length)).join('\n'),
  };
}

export function withoutSectionMarks(text: string): string {
  if (!text.includes('-8<-')) return text;
  return text
    .split('\n')
    .filter((line) => !sectionMark.test(line))
    .join('\n');
}

/** `// #region name`, `# region name`, `<!-- #region name -->`, and the like of other languages. */
export function readRegionMark(line: string): { isEnd: boolean; name: string } | undefined {
  const found = /\b(end ?)?region\b[ \t]*"?([\w.*-]*)/i.exec(line);
  if (!found) return undefined;
  const before = line.slice(0, found.index).trim();
  const isComment =
    /^(?:@?rem[ \t]*#|"?(?:\/\/|\/\*|#|<!--|--|::|\(\*|%|;)[ \t]*(?:#[ \t]*)?(?:pragma)?)$/i;
  if (before === '' || !isComment.test(before)) return undefined;
  return { isEnd: found[1] !== undefined, name: trimEndOf(found[2] ?? '', '-*') };
}

const maxOpenRegions = 100;

/** All regions of this name, without the marks inside them. */
export function pickRegion(text: string, name: string): Picked {
  const open: string[] = [];
  const picked: string[] = [];
  let isFound = false;
  for (const line of toLines(text)) {
    const mark = readRegionMark(line);
    if (!mark) {
      if (open.includes(name)) picked.push(line);
    } else if (mark.isEnd) {
      // An end without a name closes the last region.
      const at = mark.name === '' ? open.length - 1 : open.lastIndexOf(mark.name);
      if (at >= 0) open.length = at;
    } else {
      if (open.length < maxOpenRegions) open.push(mark.name);
      isFound ||= mark.name === name;
    }
  }
  return isFound
    ? { text: dedent(picked).join('\n') }
    : { reason: `the file has no region "${name}"` };
}

/** What is below a heading, up to the next of its level. Headings are read without parsing the rest. */
export function pickHeading(text: string, anchor: string): Picked {
  const code = findCode(text);
  const slugger = createSlugger('vitepress');
  const headings = [...text.matchAll(/^ {0,3}(#{1,6})[ \t](.*)$/gm)]
    .filter(({ index }) => !code.has(index))
    .map(({ index, 0: line, 1: { length: depth } = '', 2: title = '' }) => {
      const own = /\{#([\w-]+)\}$/.exec(title.trimEnd())?.[1];
      const words = title.replaceAll(/\]\([^()]*\)|<[^<>]*>|[[\]`*]/g, '');
      return {
        depth,
        start: index,
        end: index + line.length + 1,
        id: own ?? slugger.slug(words.trim()),
      };
    });
  const at = headings.findIndex(({ id }) => id === anchor);
  const heading = headings[at];
  if (!heading) return { reason: `the file has no region or heading "${anchor}"` };
  const next = headings.slice(at + 1).find(({ depth }) => depth <= heading.depth);
  return { text: text.slice(heading.end, next?.start) };
}

export function toLines(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Removes the indentation that all lines have. */
export function dedent(lines: readonly string[]): string[] {
  const widths = lines.flatMap((line) => (line.trim() === '' ? [] : [line.search(/\S/)]));
  const width = widths.reduce((least, one) => Math.min(least, one), Infinity);
  return lines.map((line) => line.slice(width === Infinity ? line.length : width));
}
