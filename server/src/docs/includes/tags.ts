/** Reads the tags of components in MDX by hand, in linear time. */
import { literal } from '../markdown/nodes.ts';

export interface Tag {
  name: string;
  /** `{ x: '…' }` are texts, and `{ x: { code: '…' } }` is what stands in braces. */
  attributes: Map<string, string | { code: string }>;
  isClosed: boolean;
  end: number;
}

const maxTag = 20_000;

/** The tag that starts here. If there is none, `end` is how far it was read. */
export function readTag(text: string, start: number): Tag | { end: number } {
  const name = /<([A-Z][\w.]*)(?=[\s/>])/y;
  name.lastIndex = start;
  const opening = name.exec(text);
  if (!opening) return { end: start + 1 };
  const attributes: Tag['attributes'] = new Map();
  const limit = Math.min(text.length, start + maxTag);
  let at = name.lastIndex;
  while (at < limit) {
    const letter = text.charAt(at);
    if (/\s/.test(letter)) at += 1;
    else if (letter === '>' || text.startsWith('/>', at)) {
      const isClosed = letter === '/';
      return { name: opening[1] ?? '', attributes, isClosed, end: at + (isClosed ? 2 : 1) };
    } else if (letter === '{') at = endOfBraces(text, at, limit);
    else {
      const attribute = /([\w$:-]+)(=?)/y;
      attribute.lastIndex = at;
      const [whole, key = '', equals] = attribute.exec(text) ?? [];
      if (whole === undefined) return { end: at + 1 };
      at += whole.length;
      const open = text.charAt(at);
      if (equals === '') attributes.set(key, '');
      else if (open === '{') {
        const end = endOfBraces(text, at, limit);
        const code = text.slice(at + 1, end - 1);
        attributes.set(key, literal(code) ?? { code });
        at = end;
      } else if (open === '"' || open === "'") {
        const end = text.slice(0, limit).indexOf(open, at + 1);
        if (end < 0) return { end: limit };
        attributes.set(key, text.slice(at + 1, end));
        at = end + 1;
      } else return { end: at + 1 };
    }
  }
  return { end: limit };
}

function endOfBraces(text: string, start: number, limit: number): number {
  let depth = 0;
  let quote = '';
  for (let at = start; at < limit; at += 1) {
    const letter = text.charAt(at);
    if (quote !== '') {
      if (letter === '\\') at += 1;
      else if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'" || letter === '`') quote = letter;
    else if (letter === '{') depth += 1;
    else if (letter === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return limit;
}
