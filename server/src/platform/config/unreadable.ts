/** Why a configuration file can't be read, and where in it. */
import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Place {
  /** The configuration file itself, or one that it imports. */
  file: string;
  /** From 1 on, both. */
  line: number;
  column: number;
}

/** One line: `line 3, column 19: Unexpected token ']'`. */
export async function explainUnreadable(path: string, error: Error): Promise<string> {
  const words = error.message.replace(/ in JSON at position .*|, (?:\.\.\.)?"[^]*JSON$|\n[^]*/, '');
  const place = await placeOf(path, error);
  if (!place) return words;
  const { file, line, column } = place;
  return `${file === path ? '' : `${file}, `}line ${line}, column ${column}: ${words}`;
}

async function placeOf(path: string, error: Error): Promise<Place | undefined> {
  const isSyntax = error instanceof SyntaxError;
  if (extname(path) === '.json') return isSyntax ? placeInJson(path, error) : undefined;
  const { stack = '' } = error;
  // Of TypeScript, the stack begins with the line of code and a mark below it.
  const [, file, line] = /^(.+):(\d+)\n/.exec(stack) ?? [];
  if (file !== undefined && !stack.startsWith(error.name)) {
    const mark = stack.split('\n').find((one) => /^\s*\^+\s*$/.test(one)) ?? '^';
    return { file: toPath(file), line: Number(line), column: mark.indexOf('^') + 1 };
  }
  const [, top = '', at, column] = /\n +at (?:[^\n]*\()?([^\n]+):(\d+):(\d+)/.exec(stack) ?? [];
  if (!isSyntax && /^(?:file:|\/|[A-Z]:)/.test(top)) {
    return { file: toPath(top), line: Number(at), column: Number(column) };
  }
  // Node.js doesn't say where in JavaScript.
  return isSyntax && extname(path) !== '.ts' ? placeInScript(path) : undefined;
}

const toPath = (file: string) => (file.startsWith('file:') ? fileURLToPath(file) : file);

function placeInJson(path: string, error: Error): Place {
  const text = readFileSync(path, 'utf8');
  const lines = text.slice(0, positionIn(error) ?? firstWrong(text)).split('\n');
  return { file: path, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

function positionIn({ message }: Error): number | undefined {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** Where JSON stops being the beginning of JSON. Node.js doesn't always say. */
function firstWrong(text: string): number {
  let [right, wrong] = [0, text.trimEnd().length + 1];
  while (wrong - right > 1) {
    const middle = Math.floor((right + wrong) / 2);
    if (isBeginning(text.slice(0, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

function isBeginning(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const position = positionIn(error as Error);
    return position === undefined
      ? (error as Error).message.includes('end of JSON')
      : position >= text.length;
  }
}

async function placeInScript(path: string): Promise<Place | undefined> {
  const { parse } = await import('acorn');
  try {
    parse(readFileSync(path, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    return undefined;
  } catch (error) {
    const { loc } = error as { loc?: { line: number; column: number } };
    return loc && { file: path, line: loc.line, column: loc.column + 1 };
  }
}
