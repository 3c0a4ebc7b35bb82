/** Changes of a navigation’s text that leave everything else as it was written. */
import { parse } from 'yaml';

const bare = (path: string) => path.replace(/\.(mdx?|markdown)$/i, '');

/** Ways in which an entry can stand in the text. */
function spellings(entry: string): RegExp[] {
  const text = entry.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return [
    new RegExp(`(?<=["'(<])${text}(?=["')>])`),
    new RegExp(`(?<=^[ \\t]*-[ \\t]+(?:[^\\n]*:[ \\t]+)?)${text}(?=[ \\t]*$)`, 'm'),
  ];
}

/** The one on this line, if it is there. */
export function replaceEntry(text: string, found: string, instead: string, line = 1): string {
  const lines = text.split('\n');
  const own = lines[line - 1] ?? '';
  for (const spelling of spellings(found)) {
    if (!spelling.test(own)) continue;
    return lines
      .with(
        line - 1,
        own.replace(spelling, () => instead),
      )
      .join('\n');
  }
  for (const spelling of spellings(found)) {
    if (spelling.test(text)) return text.replace(spelling, () => instead);
  }
  return text;
}

/** Takes an entry out, with the comma that goes with it. */
export function removeEntry(text: string, found: string): string {
  const name = found.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const item = `(?:"${name}"|\\{[^{}]*"(?:id|link)"\\s*:\\s*"${name}"[^{}]*\\})`;
  const shapes: [RegExp, string][] = [
    // Alone on its line, with others after it; the last one of several; in a line with others.
    [new RegExp(`^[ \\t]*${item}[ \\t]*,[ \\t]*\\r?\\n`, 'm'), ''],
    [new RegExp(`,([ \\t]*\\r?\\n)[ \\t]*${item}[ \\t]*\\r?\\n`), '$1'],
    [new RegExp(`${item}\\s*,\\s*`), ''],
    [new RegExp(`\\s*,\\s*${item}`), ''],
    [new RegExp(`(?<=\\[)\\s*${item}\\s*(?=\\])`), ''],
    // A line of YAML, or of a list in Markdown.
    [
      new RegExp(`^[ \\t]*-[ \\t]+(?:[^\\n]*:[ \\t]+)?["']?${name}["']?[ \\t]*(?:\\r?\\n|$)`, 'm'),
      '',
    ],
    [
      new RegExp(`^[ \\t]*[-*+][ \\t]+\\[[^\\]\\n]*\\]\\(<?${name}>?\\)[ \\t]*(?:\\r?\\n|$)`, 'm'),
      '',
    ],
  ];
  for (const [shape, replacement] of shapes)
    if (shape.test(text)) return text.replace(shape, replacement);
  return text;
}

interface NewEntry {
  page: string;
  title?: string | undefined;
  /** Pages that it may stand behind, the best first. */
  neighbours: readonly string[];
}

/** Lists a page behind one of its neighbours; gives the text back as it was where none is listed. */
export function addEntry(
  text: string,
  path: string,
  { page, title, neighbours }: NewEntry,
): string {
  for (const neighbour of neighbours) {
    for (const known of knownEntries(text, neighbour, path)) {
      const written = sameSpelling(page, neighbour, known.entry);
      if (written === undefined) continue;
      const added = insertAfter(text, known, written, title ?? written);
      if (added !== undefined && isWhole(added, path)) return added;
    }
  }
  return text;
}

interface Known {
  entry: string;
  start: number;
  end: number;
}

/** Ends of a page’s path that stand in the navigation as entries, the longest first. */
function knownEntries(text: string, page: string, path: string): Known[] {
  const forms = /\.(ya?ml)$|SUMMARY\.md$/i.test(path)
    ? [page]
    : [page, bare(page), bare(page).replaceAll(/(^|\/)\d{1,3}\s*[-_.]+\s*(?=\D)/g, '$1')];
  const found: Known[] = [];
  for (const form of forms) {
    const parts = form.split('/');
    for (let from = 0; from < parts.length; from += 1) {
      for (const lead of ['', '/', './']) {
        const entry = lead + parts.slice(from).join('/');
        for (const spelling of spellings(entry)) {
          const match = spelling.exec(text);
          if (match) found.push({ entry, start: match.index, end: match.index + entry.length });
        }
      }
    }
  }
  return found.toSorted((a, b) => b.entry.length - a.entry.length);
}

function sameSpelling(page: string, neighbour: string, entry: string): string | undefined {
  const hasEnding = /\.(mdx?|markdown)$/i.test(entry);
  const plain = (file: string) => (hasEnding ? file : bare(file));
  const lead = /^\.?\//.exec(entry)?.[0] ?? '';
  const tail = entry.slice(lead.length);
  const whole = plain(neighbour);
  const unordered = (file: string) => file.replaceAll(/(^|\/)\d{1,3}\s*[-_.]+\s*(?=\D)/g, '$1');
  for (const form of [(file: string) => file, unordered]) {
    if (!form(whole).endsWith(tail)) continue;
    const prefix = form(whole).slice(0, form(whole).length - tail.length);
    const other = form(plain(page));
    if (other.startsWith(prefix)) return lead + other.slice(prefix.length);
  }
  return undefined;
}

function insertAfter(
  text: string,
  { entry, start, end }: Known,
  written: string,
  title: string,
): string | undefined {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end);
  const line = text.slice(lineStart, lineEnd);
  const put = (at: number, what: string) => text.slice(0, at) + what + text.slice(at);
  const yaml = /^([ \t]*-[ \t]+)([^\n]*:[ \t]+)?(["']?)/.exec(line);
  if (yaml && !/^[ \t]*-[ \t]+\[/.test(line) && text[start - 1] !== '(') {
    const name = yaml[2] === undefined ? '' : `${yamlKey(title)}: `;
    return put(lineEnd, `\n${yaml[1]}${name}${yaml[3] ?? ''}${written}${yaml[3] ?? ''}`);
  }
  const markdown = /^([ \t]*[-*+][ \t]+)\[/.exec(line);
  if (markdown && text[start - 1] === '(')
    return put(lineEnd, `\n${markdown[1]}[${title}](${written})`);
  if (text[start - 1] !== '"') return undefined;
  // An object of its own: a copy with another title and address.
  const object = /^([ \t]*)(\{[^{}\n]*\})(,?)[ \t]*$/.exec(line);
  if (object && /"(?:link|id)"\s*:\s*"$/.test(text.slice(0, start))) {
    const copy = (object[2] ?? '')
      .replace(`"${entry}"`, () => JSON.stringify(written))
      .replace(
        /("(?:text|label)"\s*:\s*)"(?:[^"\\]|\\.)*"/,
        (_, key: string) => key + JSON.stringify(title),
      );
    return put(
      lineStart + (object[1] ?? '').length + (object[2] ?? '').length,
      `,\n${object[1]}${copy}`,
    );
  }
  const before = /[[,]\s*$/.test(text.slice(Math.max(0, start - 200), start - 1));
  const after = /^\s*[\],]/.test(text.slice(end + 1, end + 200));
  if (!before || !after) return undefined;
  const isAlone = /^[ \t]*"[^"]*",?[ \t]*$/.test(line);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return put(end + 1, `,${isAlone ? `\n${indent}` : ' '}${JSON.stringify(written)}`);
}

const yamlKey = (title: string) =>
  /^[\p{L}\p{N}][\p{L}\p{N} _()-]*$/u.test(title) ? title : JSON.stringify(title);

/** A mistake of ours must not reach the file. */
function isWhole(text: string, path: string): boolean {
  try {
    if (/\.json$/i.test(path)) JSON.parse(text);
    else if (/\.ya?ml$/i.test(path)) parse(text, { logLevel: 'silent' });
    return true;
  } catch {
    return false;
  }
}

/** A redirect from the old address, where the documentation keeps a list of them. */
export function addRedirect(text: string, path: string, from: string, to: string): string {
  if (/(^|\/)_redirects$/.test(path)) return `${text.replace(/\n*$/, '')}\n${from} ${to} 301`;
  if (/\.ya?ml$/i.test(path)) {
    const map = /^([ \t]*)redirect_maps:[ \t]*\r?\n([ \t]+)(?=\S)/m.exec(text);
    if (!map) return text;
    const at = map.index + map[0].length;
    return `${text.slice(0, at)}'${from}': '${to}'\n${map[2]}${text.slice(at)}`;
  }
  const list = /"redirects"\s*:\s*\[(\s*)(?=(\{)|\])/.exec(text);
  if (!list) return text;
  const at = list.index + list[0].length;
  const entry = { source: from, destination: to };
  if (list[2] === undefined) {
    const line = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', list.index) + 1))?.[0] ?? '';
    return `${text.slice(0, at)}\n${line}  ${JSON.stringify(entry)}\n${line}${text.slice(at)}`;
  }
  const gap = list[1] ?? '';
  const isOneLine = !/^\{[ \t]*\n/.test(text.slice(at));
  const indent = gap.replace(/^[^\n]*\n/, '');
  const shown = isOneLine
    ? `{ "source": ${JSON.stringify(from)}, "destination": ${JSON.stringify(to)} }`
    : JSON.stringify(entry, null, 2).replaceAll('\n', `\n${indent}`);
  const added = `${text.slice(0, at)}${shown},${gap}${text.slice(at)}`;
  return isWhole(added, path) ? added : text;
}
