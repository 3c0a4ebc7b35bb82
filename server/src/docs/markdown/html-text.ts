/** The text that readers see of raw HTML in Markdown. A page can hold any HTML, so one pass reads all of it. */

export function htmlText(html: string): string {
  return withoutTags(html)
    .replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? '')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  nbsp: ' ',
};

const silent = new Set(['script', 'style', 'svg', 'template']);
const ownLine = /^(?:br|p|div|li|ul|ol|tr|table|details|summary|h[1-6]|section|blockquote)$/;

function withoutTags(html: string): string {
  let text = '';
  let done = 0;
  const lastClose = html.lastIndexOf('>');
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', done)) {
    text += html.slice(done, at);
    const { shown, end } = html.startsWith('<!--', at)
      ? { shown: '', end: endOf(html, '-->', at) }
      : readTag(html, at, lastClose);
    text += shown;
    done = end;
  }
  return text + html.slice(done);
}

/** Returns what a tag shows, and where the text after it starts. */
function readTag(html: string, at: number, lastClose: number): { shown: string; end: number } {
  const open = /<(\/?)([A-Za-z][\w.]*)/y;
  open.lastIndex = at;
  const [, slash, name = ''] = open.exec(html) ?? [];
  const lower = name.toLowerCase();
  if (slash === '' && silent.has(lower)) {
    const close = new RegExp(`</${lower}\\s*>|$`, 'gi');
    close.lastIndex = at;
    const found = close.exec(html);
    return { shown: '', end: found ? found.index + found[0].length : html.length };
  }
  if (name === '' || at > lastClose) return { shown: '<', end: at + 1 };
  const end = tagEnd(html, at);
  if (lower === 'td' || lower === 'th') return { shown: slash ? ' ' : '', end };
  if (ownLine.test(lower)) return { shown: '\n', end };
  if (slash) return { shown: '', end };
  const tag = html.slice(at, end);
  if (lower === 'img') return { shown: /\salt="([^"]*)"/i.exec(tag)?.[1] ?? '', end };
  const label = /^[A-Z]/.test(name) ? /\s(?:title|label|text)="([^"]*)"/.exec(tag)?.[1] : undefined;
  return { shown: label === undefined ? '' : `\n${label}\n`, end };
}

/** The end of a tag. Its last attribute may hold a `>`: `alt="Settings > General"`. */
function tagEnd(html: string, at: number): number {
  const end = endOf(html, '>', at);
  const quotes = html.slice(at, end).split('"').length - 1;
  const close = quotes % 2 === 0 ? -1 : html.indexOf('"', end);
  const after = close < 0 ? -1 : html.indexOf('>', close);
  return after < 0 ? end : after + 1;
}

function endOf(html: string, close: string, from: number): number {
  const at = html.indexOf(close, from);
  return at < 0 ? html.length : at + close.length;
}
