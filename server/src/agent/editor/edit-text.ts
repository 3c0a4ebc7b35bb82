/** Turns what shall stand in a file into calls of `edit`, each with a passage that stands there only once. */
export interface Span {
  start: number;
  end: number;
  text: string;
}

export interface Edit {
  oldText: string;
  newText: string;
}

/** Replacements of a text, in order and not overlapping, as edits that are made one after the other. */
export function toEdits(text: string, spans: readonly Span[]): Edit[] {
  const edits: Edit[] = [];
  let current = text;
  let shift = 0;
  for (const { start, end, text: replacement } of spans) {
    if (text.slice(start, end) === replacement) continue;
    const [from, to] = [start + shift, end + shift];
    const [left, right] = unique(current, from, to);
    const oldText = current.slice(left, right);
    const newText = current.slice(left, from) + replacement + current.slice(to, right);
    edits.push({ oldText, newText });
    current = current.slice(0, left) + newText + current.slice(right);
    shift += replacement.length - (end - start);
  }
  return edits;
}

/** Widens a passage to whole lines, and to more of them, until it stands in the text only once. */
function unique(text: string, from: number, to: number): [number, number] {
  const lineStart = (at: number) => (at <= 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1);
  const lineEnd = (at: number) => {
    const end = text.indexOf('\n', at);
    return end < 0 ? text.length : end;
  };
  let [left, right] = [lineStart(from), lineEnd(to)];
  while (!isOnce(text, text.slice(left, right)) && (left > 0 || right < text.length)) {
    left = lineStart(left - 1);
    right = lineEnd(right + 1);
  }
  return [left, right];
}

function isOnce(text: string, passage: string): boolean {
  if (passage === '') return false;
  const first = text.indexOf(passage);
  return text.indexOf(passage, first + 1) < 0;
}
