/** Reads the tags of components in MDX by hand, in linear time, and its imports and exports, which never run. */
import jsx from 'acorn-jsx';
import { literal } from '../markdown/nodes.ts';
import { Parser, type Program } from 'acorn';
import { valuesOf } from '../generators/read-script.ts';
import { at, type Value } from '../generators/script-values.ts';
import type { CodeRanges } from './code-ranges.ts';

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

export type Binding =
  | { kind: 'import'; from: string; name: string }
  | { kind: 'export'; value: Value };

export interface Statements {
  bindings: Map<string, Binding>;
  ranges: { start: number; end: number }[];
}

const parser = Parser.extend(jsx());
/** A statement may have blank lines in it. */
const maxBlankLines = 40;
const maxLength = 20_000;
/** How often the characters of a file are tried. A statement that isn't one would be tried from each of its lines. */
const maxPasses = 10;

export function readStatements(text: string, code: CodeRanges): Statements {
  const bindings = new Map<string, Binding>();
  const ranges: Statements['ranges'] = [];
  let done = 0;
  const budget = { characters: maxLength + maxPasses * text.length };
  for (const { index: start } of text.matchAll(/^(?:import|export)\b/gm)) {
    if (start < done || code.has(start)) continue;
    const { end, program } = parseFrom(text, start, budget);
    done = end;
    if (!program || program.body.length === 0) continue;
    ranges.push({ start, end });
    const { imports, named } = valuesOf(program);
    for (const [name, value] of Object.entries(named))
      bindings.set(name, { kind: 'export', value });
    for (const [local, one] of Object.entries(imports))
      if (one.name !== '*') bindings.set(local, { kind: 'import', ...one });
  }
  return { bindings, ranges };
}

/** Tries up to the next blank line, then up to the one after it, until it is JavaScript. */
function parseFrom(
  text: string,
  start: number,
  budget: { characters: number },
): { end: number; program?: Program } {
  let end = start;
  const near = text.slice(start, start + maxLength + 1);
  for (let tries = 0; tries < maxBlankLines && budget.characters > 0; tries += 1) {
    const blank = /\n[ \t]*(?:\r?\n|$)/g;
    blank.lastIndex = end - start;
    const next = blank.exec(near);
    end = next ? start + next.index + 1 : start + near.length;
    if (end - start > maxLength) break;
    budget.characters -= end - start;
    try {
      const code = text.slice(start, end);
      return { end, program: parser.parse(code, { ecmaVersion: 2024, sourceType: 'module' }) };
    } catch {
      if (end === text.length) break;
    }
  }
  // Not a statement: prose that starts with "import".
  return { end: start + 6 };
}

/** `a.b` of a binding's value, as text. */
export function valueAt(value: Value, path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
}
