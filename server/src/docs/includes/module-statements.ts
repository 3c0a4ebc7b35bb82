/** The imports and exports of an MDX file. They are read, and never run. */
import { Parser, type Program } from 'acorn';
import jsx from 'acorn-jsx';
import { valuesOf } from '../generators/read-script.ts';
import { at, type Value } from '../generators/script-values.ts';
import type { CodeRanges } from './code-ranges.ts';

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
