import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Why a configuration file can't be read, and where in it: `line 3: Unexpected token ']'`. */
export async function explainUnreadable(path: string, error: Error): Promise<string> {
  // Of JSON, Node.js quotes what is wrong, with its line breaks.
  if (extname(path) === '.json') return error.message.replaceAll(/\s+/g, ' ');
  const [words = ''] = error.message.split('\n');
  const { file = path, line } = (await placeOf(path, error)) ?? {};
  if (line === undefined) return words;
  return `${file === path ? '' : `${file}, `}line ${line}: ${words}`;
}

async function placeOf(
  path: string,
  error: Error,
): Promise<{ file: string; line: string } | undefined> {
  // The stack begins with the place for TypeScript, and with the name of the error otherwise.
  const [, file = '', line = ''] =
    /^(\/[^\n]+|[A-Z]:[^\n]+|file:[^\n]+?):(\d+)\n/.exec(error.stack ?? '') ??
    /\n +at (?:[^\n]*\()?(file:[^\n]+?):(\d+):\d+/.exec(error.stack ?? '') ??
    [];
  const isSyntax = error instanceof SyntaxError;
  if (file !== '' && !(isSyntax && error.stack?.startsWith(error.name))) {
    return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line };
  }
  // Node.js doesn't say where in JavaScript.
  return isSyntax && extname(path) !== '.ts' ? placeInScript(path) : undefined;
}

async function placeInScript(file: string) {
  const { parse } = await import('acorn');
  try {
    parse(readFileSync(file, 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    return undefined;
  } catch (error) {
    const { loc } = error as { loc?: { line: number } };
    return loc && { file, line: String(loc.line) };
  }
}
