/** Texts of others: of files, models, and authors. */
import type { ComponentChildren } from 'preact';
import { Markdown } from './markdown.tsx';

/** Invisible characters and those that change the text direction. They can make a line look like another one. */
const unseen =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Text with a visible name in place of each invisible character. */
export function Visible({ text }: { text: string }) {
  if (text.search(unseen) < 0) return <>{text}</>;
  const pieces: ComponentChildren[] = [];
  let last = 0;
  for (const { 0: sign, index } of text.matchAll(unseen)) {
    const name = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    pieces.push(
      text.slice(last, index),
      <span key={index} class="unseen-sign" title="An invisible character">
        {name}
      </span>,
    );
    last = index + sign.length;
  }
  return (
    <>
      {pieces}
      {text.slice(last)}
    </>
  );
}

const maxCharacters = 200_000;
/** Short rows of a table are filled up, so a few bytes can mean thousands of cells. */
const maxCells = 50_000;
/** Marks of emphasis and links in one paragraph, whose pairs are looked for: the time grows with the square. */
const maxMarks = 2_000;
/** Quotes and lists in each other. */
const maxDepth = 50;

/** What would take the renderer too long, or too much memory, stays as it was written. */
export function Prose({ text: whole }: { text: string }) {
  // The settings of a page aren't a part of its text.
  const text = withoutComments(whole.slice(0, maxCharacters).replace(/^---\n[^]*?\n---(\n|$)/, ''));
  if (isTooComplex(text)) return <pre class="prose">{text}</pre>;
  return (
    <div class="prose">
      <Markdown text={text} />
    </div>
  );
}

/** Comments are for people who edit a template. */
function withoutComments(text: string): string {
  const [first = '', ...others] = text.split('<!--');
  return others.reduce((read, part) => {
    const end = part.indexOf('-->');
    return end < 0 ? read : read + part.slice(end + 3);
  }, first);
}

export function isTooComplex(text: string): boolean {
  let [columns, cells, marks] = [0, 0, 0];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const opening = /^(?:[ \t]*(?:>|[-*+]|\d{1,9}[.)]))*/.exec(line.slice(0, 2_000))?.[0] ?? '';
    const depth = opening.replaceAll(/\d+/g, '').replaceAll(/[ \t]/g, '').length;
    const indentation = (/^[ \t]*/.exec(line)?.[0] ?? '').length / 2;
    if (depth > maxDepth || indentation > maxDepth * 2) return true;
    if (line.trim() === '') [columns, marks] = [0, 0];
    if (/^[\s|:>-]+$/.test(line)) columns = Math.max(columns, line.split('|').length);
    cells += columns;
    marks += line.replaceAll(/[^*_~[\]`]/g, '').length;
    if (cells > maxCells || marks > maxMarks) return true;
  }
  return false;
}
