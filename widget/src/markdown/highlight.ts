/**
 * Colors code with CSS highlights, so the text stays one node and a selection survives. Without
 * browser support, code stays plain.
 */
import { grammarOf, tokenize, type Token, type TokenStream } from './prism.ts';

/** Prism's names for each of our colors. */
const names = {
  comment: ['comment', 'prolog', 'doctype', 'shebang'],
  keyword: ['keyword', 'boolean', 'important', 'atrule', 'tag', 'builtin', 'deleted'],
  string: ['string', 'char', 'attr-value', 'template-string', 'regex', 'url', 'inserted'],
  number: ['number', 'constant', 'variable'],
  function: ['function', 'class-name', 'selector'],
  property: ['property', 'key', 'attr-name', 'parameter', 'table'],
};
type Kind = keyof typeof names;
const kinds = new Map(
  (Object.keys(names) as Kind[]).flatMap((kind) =>
    names[kind].map((name) => [name, kind] as const),
  ),
);

export interface Span {
  start: number;
  end: number;
  kind: Kind;
}

/** The colored pieces in order. Inner pieces win over outer ones. */
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
    } else if (Array.isArray(content))
      content.forEach((piece: string | Token) => walk(piece, outer));
    else walk(content.content, kindOf(content) ?? outer);
  };
  walk(tokenize(code, grammar), undefined);
  return spans;
}

function kindOf({ type, alias }: Token): Kind | undefined {
  for (const name of [type, alias ?? []].flat()) if (kinds.has(name)) return kinds.get(name);
  return undefined;
}

/** Colors one text node. Returns a function that removes the colors. */
export function highlight(node: Text, language: string): () => void {
  if (typeof Highlight !== 'function' || !CSS.highlights) return () => {};
  // Forced colors put their own background behind every range.
  if (globalThis.matchMedia?.('(forced-colors: active)').matches) return () => {};
  const painted: [Highlight, StaticRange][] = [];
  let isGone = false;
  const paint = (spans: readonly Span[]) => {
    for (const { start, end, kind } of spans) {
      // The text may have changed while the grammar was loading.
      if (isGone || end > node.length) return;
      const name = `docent-${kind}`;
      let group = CSS.highlights.get(name);
      if (!group) CSS.highlights.set(name, (group = new Highlight()));
      // A static range costs nothing when the page changes.
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
  spansOf(node.data, language).then(paint, () => {}); // Code stays plain.
  return () => {
    isGone = true;
    for (const [group, range] of painted) group.delete(range);
    for (const kind of Object.keys(names)) {
      if (CSS.highlights.get(`docent-${kind}`)?.size === 0) CSS.highlights.delete(`docent-${kind}`);
    }
  };
}
