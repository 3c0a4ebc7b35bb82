/**
 * Colours for code, loaded with the first finished code block. The browser paints ranges (CSS Custom
 * Highlights), so the text stays one untouched node: a selection in it survives, nothing is rebuilt.
 * Where a browser lacks them, code stays plain.
 */
import { grammarOf, tokenize, type Token, type TokenStream } from './prism.ts';

type Kind = 'comment' | 'keyword' | 'string' | 'number' | 'function' | 'property';

export interface Span {
  start: number;
  end: number;
  kind: Kind;
}

const kinds: Record<string, Kind> = {
  comment: 'comment',
  prolog: 'comment',
  doctype: 'comment',
  shebang: 'comment',
  keyword: 'keyword',
  boolean: 'keyword',
  important: 'keyword',
  atrule: 'keyword',
  tag: 'keyword',
  builtin: 'keyword',
  deleted: 'keyword',
  string: 'string',
  char: 'string',
  'attr-value': 'string',
  'template-string': 'string',
  regex: 'string',
  url: 'string',
  inserted: 'string',
  number: 'number',
  constant: 'number',
  variable: 'number',
  function: 'function',
  'class-name': 'function',
  selector: 'function',
  property: 'property',
  key: 'property',
  'attr-name': 'property',
  parameter: 'property',
  table: 'property',
};

/** The coloured pieces of a text, from its beginning to its end; inner ones win over outer ones. */
export async function spansOf(code: string, language: string): Promise<Span[]> {
  const grammar = await grammarOf(language);
  if (!grammar) return [];
  const spans: Span[] = [];
  let at = 0;
  const walk = (content: TokenStream, outer: Kind | undefined): void => {
    if (typeof content === 'string') {
      const last = spans.at(-1);
      if (outer && last?.end === at && last.kind === outer) last.end += content.length;
      else if (outer) spans.push({ start: at, end: at + content.length, kind: outer });
      at += content.length;
    } else if (Array.isArray(content)) content.forEach((part: string | Token) => walk(part, outer));
    else walk(content.content, kindOf(content) ?? outer);
  };
  walk(tokenize(code, grammar), undefined);
  return spans;
}

function kindOf({ type, alias }: Token): Kind | undefined {
  const names = [type, ...(Array.isArray(alias) ? alias : [alias])];
  const name = names.find((one) => one !== undefined && Object.hasOwn(kinds, one));
  return name === undefined ? undefined : kinds[name];
}

/** Loads what a language needs before it is needed. */
export function prepare(language: string): void {
  grammarOf(language).catch(() => {}); // Asked for again with the first code in it.
}

/** Paints one text node; returns what takes the paint off. */
export function highlight(node: Text, language: string): () => void {
  if (typeof Highlight !== 'function' || !CSS.highlights) return () => {};
  // Where the system forces its colours it puts its own background behind every range.
  if (globalThis.matchMedia?.('(forced-colors: active)').matches) return () => {};
  const painted: [Highlight, StaticRange][] = [];
  let isGone = false;
  const paint = (spans: readonly Span[]) => {
    for (const { start, end, kind } of spans) {
      // The text may have changed while its grammar was on the way.
      if (isGone || end > node.length) return;
      const name = `docent-${kind}`;
      let group = CSS.highlights.get(name);
      if (!group) CSS.highlights.set(name, (group = new Highlight()));
      // Unlike a live range it costs nothing when something on the page changes; the text stays as it is.
      const range = new StaticRange({
        startContainer: node,
        startOffset: start,
        endContainer: node,
        endOffset: end,
      });
      group.add(range);
      painted.push([group, range]);
    }
  };
  spansOf(node.data, language).then(paint, () => {}); // Without colours the code reads as well.
  return () => {
    isGone = true;
    for (const [group, range] of painted) group.delete(range);
    for (const kind of new Set(Object.values(kinds))) {
      if (CSS.highlights.get(`docent-${kind}`)?.size === 0) CSS.highlights.delete(`docent-${kind}`);
    }
  };
}
