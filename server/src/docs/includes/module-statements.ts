/** The imports and exports of an MDX file. They are read, and never run. */
import { Parser } from 'acorn';
import jsx from 'acorn-jsx';
import { type Expression, plainData } from '../markdown/nodes.ts';
import type { CodeRanges } from './code-ranges.ts';

export type Binding =
  | { kind: 'import'; from: string; name: string }
  /** `undefined`: code, which does not run. */
  | { kind: 'export'; value: unknown };

export interface Statements {
  bindings: Map<string, Binding>;
  ranges: { start: number; end: number }[];
}

interface Statement {
  type: string;
  source?: { value?: unknown } | null;
  specifiers?: {
    type: string;
    local: { name: string };
    imported?: { name?: string; value?: string };
  }[];
  declaration?: { declarations?: { id: { name?: string }; init?: Expression | null }[] } | null;
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
    const { end, body } = parseFrom(text, start, budget);
    done = end;
    if (body.length > 0) ranges.push({ start, end });
    for (const statement of body) bind(statement, bindings);
  }
  return { bindings, ranges };
}

/** Tries up to the next blank line, then up to the one after it, until it is JavaScript. */
function parseFrom(
  text: string,
  start: number,
  budget: { characters: number },
): { end: number; body: Statement[] } {
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
      const program = parser.parse(text.slice(start, end), {
        ecmaVersion: 2024,
        sourceType: 'module',
      });
      return { end, body: program.body as Statement[] };
    } catch {
      if (end === text.length) break;
    }
  }
  // Not a statement: prose that starts with "import".
  return { end: start + 6, body: [] };
}

function bind(statement: Statement, bindings: Map<string, Binding>): void {
  const { type, source, specifiers = [], declaration } = statement;
  if (type === 'ImportDeclaration' && typeof source?.value === 'string') {
    for (const { type: kind, local, imported } of specifiers) {
      if (kind === 'ImportNamespaceSpecifier') continue;
      const name = imported?.name ?? imported?.value ?? 'default';
      bindings.set(local.name, { kind: 'import', from: source.value, name });
    }
  }
  if (type !== 'ExportNamedDeclaration') return;
  for (const { id, init } of declaration?.declarations ?? []) {
    if (id.name !== undefined)
      bindings.set(id.name, { kind: 'export', value: init ? plainData(init) : undefined });
  }
}

/** `a.b` of a binding's value, as text. */
export function valueAt(value: unknown, path: readonly string[]): string | undefined {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return typeof at === 'string' || typeof at === 'number' ? String(at) : undefined;
}
