/** Parts of included files: lines, sections, regions, and headings. */
import { trimEndOf } from '../../platform/text.ts';
import { parsePage } from '../generators/parse-page.ts';
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
      open.push(mark.name);
      isFound ||= mark.name === name;
    }
  }
  return isFound
    ? { text: dedent(picked).join('\n') }
    : { reason: `the file has no region "${name}"` };
}

/** What is below a heading, up to the next of its level. */
export function pickHeading(text: string, anchor: string, file: string): Picked {
  const { tree } = parsePage(text, file, 'vitepress');
  const headings = (tree.children ?? []).filter(({ type }) => type === 'heading');
  const at = headings.findIndex((heading) => heading.anchor === anchor);
  const heading = headings[at];
  if (!heading) return { reason: `the file has no region or heading "${anchor}"` };
  const depth = heading.depth ?? 1;
  const next = headings.slice(at + 1).find((one) => (one.depth ?? 1) <= depth);
  const lines = toLines(text).slice(
    heading.position?.end.line ?? 0,
    next?.position && next.position.start.line - 1,
  );
  return { text: lines.join('\n') };
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
