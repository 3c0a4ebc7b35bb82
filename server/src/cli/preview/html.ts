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
