/**
 * Makes the unfinished end of a growing Markdown text presentable: `**bo` is bold, `[text](htt` its
 * text, and the first dash of a list isn't a heading.
 */

/** The fence that is open at the end. */
function openFence(text: string): string | undefined {
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const found = /^ {0,3}(?:[-*+>]|\d+[.)])?\s*(`{3,}(?!`)|~{3,}(?!~))(.*)$/.exec(line);
    if (!found?.[1]) continue;
    if (!fence) {
      if (!(found[1].startsWith('`') && found[2]?.includes('`'))) fence = found[1];
    } else if (found[1].startsWith(fence) && !found[2]?.trim()) fence = undefined;
  }
  return fence;
}

/** The markers that close what is open at the end, innermost first. */
function closers(text: string): string {
  const open: string[] = [];
  const pattern = /\\[\s\S]|(`+)|(\*{1,3}|_{1,3}|~~)/g;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const [, ticks, marks] = match;
    if (ticks) {
      const end = text.indexOf(ticks, pattern.lastIndex);
      if (end < 0) return ticks + open.toReversed().join('');
      pattern.lastIndex = end + ticks.length;
      continue;
    }
    if (!marks) continue;
    const before = text[match.index - 1] ?? ' ';
    const after = text[pattern.lastIndex] ?? ' ';
    if (open.at(-1) === marks && /\S/.test(before)) open.pop();
    else if (/\S/.test(after) && !(marks.startsWith('_') && /\w/.test(before))) open.push(marks);
  }
  return open.toReversed().join('');
}

function mendLine(line: string): string {
  const shown = line
    .replace(/!?\[\d*$/, '')
    .replace(/!?\[([^[\]]*)\]\([^()\s]*(?:\([^()]*\))?[^()]*$/, '$1')
    .replace(/!?\[([^[\]]*)$/, '$1')
    .replace(/<https?:[^>\s]*$/, '')
    .replace(/(^|[^\\*_~`])(?:\*{1,3}|_{1,3}|~{1,2}|`{1,2})$/, '$1');
  const closing = closers(shown);
  // `**word ` closes only if the marker touches the word.
  return closing ? shown.trimEnd() + closing : shown;
}

/** A table appears with its complete second line. Before, it would be a paragraph of bars. */
function mendTable(before: string, line: string): string {
  const rows = before
    .slice(before.lastIndexOf('\n\n') + 1)
    .split('\n')
    .filter(Boolean);
  const isBars = /^[\s|:-]*$/.test(line);
  const hasDelimiter = rows.some(
    (row, index) => index > 0 && row.includes('-') && /^[\s|:-]*$/.test(row),
  );
  if (hasDelimiter) return isBars ? before.replace(/\n$/, '') : before + mendLine(line);
  const header = rows.at(-1);
  if (!header?.includes('|')) return before;
  const isWhole =
    line.split('|').length >= header.split('|').length && /-\s*:?\s*\|?\s*$/.test(line);
  return isBars && isWhole
    ? before + line
    : before.slice(0, before.lastIndexOf('\n', before.length - 2) + 1);
}

export function mend(text: string): string {
  const fence = openFence(text);
  if (fence) return text.replace(/\n {0,3}(?:`+|~+)$/, '');
  const start = text.lastIndexOf('\n') + 1;
  const line = text.slice(start);
  const before = text.slice(0, start);
  // It could still become a list, a heading, a rule, or a fence.
  if (/^\s*(?:[-=+*_#>]+|\d{1,9}[.)]?|`{1,2}|~{1,2}|[-*+] +(?:\[[ x]?\]?)?)\s*$/i.test(line)) {
    return before.replace(/\n$/, '');
  }
  if (/^\s*\|/.test(line)) return mendTable(before, line);
  const blank = before.lastIndexOf('\n\n');
  const paragraph = blank < 0 ? 0 : blank + 2;
  const isFirst = paragraph >= start;
  const isItem = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s/.test(line);
  if (isItem) {
    const marker = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+/.exec(line)?.[0] ?? '';
    return before + marker + mendLine(line.slice(marker.length));
  }
  if (isFirst) return before + mendLine(line);
  return text.slice(0, paragraph) + mendLine(text.slice(paragraph));
}
