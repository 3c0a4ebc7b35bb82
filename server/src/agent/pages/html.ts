/** HTML that is escaped by construction: every interpolated value is text, unless `markup` created it. */

/** Whoever calls the constructor vouches for the text. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Hole = Html | string | number | undefined | null | false | readonly Hole[];

/** `undefined`, `null`, and `false` write nothing. Attributes need double quotes. The tag isn't called `html`, because formatters would change its spaces. */
export function markup(parts: TemplateStringsArray, ...holes: Hole[]): Html {
  return new Html(parts.reduce((text, part, index) => text + written(holes[index - 1]) + part));
}

function written(hole: Hole): string {
  if (hole === undefined || hole === null || hole === false) return '';
  if (hole instanceof Html) return hole.text;
  if (typeof hole === 'object') return hole.map(written).join('');
  return escaped(String(hole));
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Invisible characters and those that change the text direction. They can make a line look like another one. */
const unseen =
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Text with a visible name in place of each invisible character. */
export function visible(text: string): Html | string {
  if (text.search(unseen) < 0) return text;
  const pieces: Hole[] = [];
  let last = 0;
  for (const { 0: sign, index } of text.matchAll(unseen)) {
    const name = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    pieces.push(
      text.slice(last, index),
      markup`<span class="unseen" title="An invisible character">${name}</span>`,
    );
    last = index + sign.length;
  }
  return markup`${[...pieces, text.slice(last)]}`;
}
