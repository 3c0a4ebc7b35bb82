/**
 * Patterns of paths, in time linear in the path: they come from a model too, and the usual libraries
 * make expressions of them that a few stars bring to a standstill.
 */
import { trimEndOf } from '../../platform/text.ts';
import { RE2JS } from 're2js';
import { FileError, fold } from './paths.ts';

const maxLength = 300;

/**
 * `*` and `?` stay within a name, `**` does not; `{a,b}` and `[a-z]` as usual. Without a slash the
 * pattern counts in every folder; the path of a folder stands for all that is in it. As on most file
 * systems, upper and lower case are the same.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  return compileGlobs([glob]);
}

/** Whether one of them fits; none of none. */
export function compileGlobs(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  // One expression for all, and one look at the path: there may be 100,000 of them.
  const expression = RE2JS.compile(`(?:${globs.map(checkGlob).join('|')})(?:/.*)?`, RE2JS.DOTALL);
  return (path) => expression.testExact(fold(path));
}

function checkGlob(glob: string): string {
  const clean = fold(trimEndOf(glob.replace(/^(?:\.?\/)+/, ''), '/'));
  if (clean.length > maxLength) {
    throw new FileError(`The pattern is longer than ${maxLength} characters.`);
  }
  const anywhere = clean.includes('/') || clean === '**' ? '' : '(?:.*/)?';
  const expression = `${anywhere}(?:${toExpression(clean)})`;
  try {
    RE2JS.compile(expression);
    return expression;
  } catch {
    throw new FileError(
      `The pattern ${JSON.stringify(glob)} cannot be read; write one such as "docs/**/*.md".`,
    );
  }
}

function toExpression(glob: string): string {
  let out = '';
  let depth = 0;
  for (let at = 0; at < glob.length; at++) {
    const letter = glob[at] ?? '';
    if (letter === '*') {
      let end = at;
      while (glob[end + 1] === '*') end += 1;
      const isWhole = (at === 0 || glob[at - 1] === '/') && end > at;
      if (isWhole && glob[end + 1] === '/') {
        out += '(?:.*/)?';
        end += 1;
      } else out += isWhole && end + 1 === glob.length ? '.*' : '[^/]*';
      at = end;
    } else if (letter === '?') out += '[^/]';
    else if (letter === '{' && glob.includes('}', at)) {
      out += '(?:';
      depth += 1;
    } else if (letter === '}' && depth > 0) {
      out += ')';
      depth -= 1;
    } else if (letter === ',' && depth > 0) out += '|';
    else if (letter === '[') {
      const end = glob.indexOf(']', at + 2);
      // `[slug].mdx` is a usual name: brackets are a class only where they hold a range or a negation.
      const inside = end < 0 ? '' : glob.slice(at + 1, end);
      if (/^[!^]|\w-\w/.test(inside)) {
        const negated = /^[!^]/.test(inside);
        const letters = inside.replace(/^[!^]/, '').replace(/[\\[\]^&]/g, '\\$&');
        out += `[${negated ? '^/' : ''}${letters}]`;
        at = end;
      } else out += '\\[';
    } else out += RE2JS.quote(letter);
  }
  return out + ')'.repeat(depth);
}
