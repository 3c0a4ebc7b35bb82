/**
 * How far a regular expression looks. The engine doesn't say it: a search that fails, and one that succeeds after
 * many attempts, may have read the text many times.
 *
 * From `<a[^>]*>` follows `<(?:a(?:[^>]*(?:>)?)?)?`, which matches as far as the original gets. Its matches at all
 * places where a search starts are what the search reads. What one attempt reads by going back is a matter of
 * static analysis (`regular-expressions.test.ts`).
 */
import { type AST, parseRegExpLiteral } from '@eslint-community/regexpp';

type Node = AST.Element | AST.QuantifiableElement;

// oxlint-disable-next-line typescript/unbound-method -- it's called with the expression as `this`
const { exec } = RegExp.prototype;

interface Reach {
  pattern: RegExp;
  /** It can match only where the search starts. */
  isHeld: boolean;
}

/** By source and then flags: one key of both would be put together for each search. */
const known = new Map<string, Map<string, Reach | undefined>>();

function reachOf({ source, flags }: RegExp): Reach | undefined {
  let ofSource = known.get(source);
  if (!ofSource) known.set(source, (ofSource = new Map()));
  if (!ofSource.has(flags)) ofSource.set(flags, build(source, flags));
  return ofSource.get(flags);
}

function build(source: string, flags: string): Reach | undefined {
  const { pattern } = parseRegExpLiteral(`/${source}/${flags}`);
  const isHeld = flags.includes('y');
  const own = flags.replaceAll(/[dgy]/g, '') + (isHeld ? 'y' : 'g');
  try {
    return { pattern: new RegExp(anyOf(pattern.alternatives), own), isHeld };
  } catch {
    return undefined;
  }
}

const anyOf = (alternatives: readonly { elements: Node[] }[]): string =>
  alternatives.map(({ elements }) => far(elements)).join('|');

/** As much of the elements as fits. */
function far([first, ...rest]: readonly Node[]): string {
  if (!first) return '';
  const after = rest.length === 0 ? '' : `(?:${far(rest)})?`;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are the default
  switch (first.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${whole(first)}${after}|${anyOf(first.alternatives)})`;
    case 'Quantifier': {
      const { min, max, element, greedy } = first;
      const most = max === Infinity ? '' : String(max);
      const inner = whole(element);
      const part = far([element]);
      const loop = `(?:${inner}){${Math.min(min, 1)},${most}}`;
      const end = part === inner ? after : `(?:${far(rest) || '(?!)'}|${part})?`;
      // A lazy one stops where the rest fits.
      return greedy
        ? loop + end
        : `(?:(?:${inner}){${min},${most}}?${rest.map(whole).join('')}|${loop}${end})`;
    }
    case 'Assertion':
      return first.kind === 'lookahead'
        ? `(?:${whole(first)}${after}|${anyOf(first.alternatives)})`
        : whole(first) + after;
    default:
      return whole(first) + after;
  }
}

/** The element as it's written, without numbers and names of groups. */
function whole(node: Node): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are the default
  switch (node.type) {
    case 'Group':
    case 'CapturingGroup':
      return `(?:${node.alternatives.map(all).join('|')})`;
    case 'Quantifier': {
      const { min, max, element, greedy } = node;
      return `(?:${whole(element)}){${min},${max === Infinity ? '' : max}}${greedy ? '' : '?'}`;
    }
    case 'Assertion':
      if (node.kind !== 'lookahead' && node.kind !== 'lookbehind') return node.raw;
      return `(?${node.kind === 'lookbehind' ? '<' : ''}${node.negate ? '!' : '='}${node.alternatives.map(all).join('|')})`;
    case 'Backreference':
      return Array.isArray(node.resolved) ? '' : whole(node.resolved as AST.CapturingGroup);
    default:
      return node.raw;
  }
}

const all = ({ elements }: { elements: readonly Node[] }): string => elements.map(whole).join('');

/** The characters that a search from `start` reads until it finds `match`, or nothing. */
export function patternSteps(
  original: RegExp,
  text: string,
  start: number,
  match: RegExpExecArray | null,
): number {
  const reach = reachOf(original);
  const end = match ? match.index : text.length;
  if (!reach) return end - start;
  const { pattern, isHeld } = reach;
  let steps = isHeld ? 1 : end - start + 1;
  for (let at = start; at <= end;) {
    pattern.lastIndex = at;
    const one = exec.call(pattern, text);
    if (!one || one.index > end) break;
    steps += one[0].length;
    if (isHeld) break;
    // With the flag `u`, a search from the middle of a character starts before it.
    at = Math.max(at, one.index) + 1;
  }
  return steps;
}

/** Texts that an expression reads far into, and doesn't match: each start of it, many times. */
export function hostileTexts({ source, flags }: RegExp): string[] {
  const { pattern } = parseRegExpLiteral(`/${source}/${flags}`);
  const found = new Set<string>();
  for (const { elements } of pattern.alternatives) {
    for (let length = 1; length <= elements.length; length += 1) {
      const piece = elements.slice(0, length).map(sample).join('');
      if (piece !== '') found.add(piece);
    }
  }
  return [...found];
}

function sample(node: Node): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are the default
  switch (node.type) {
    case 'Character':
      return String.fromCodePoint(node.value);
    case 'Group':
    case 'CapturingGroup':
      return (node.alternatives[0]?.elements ?? []).map(sample).join('');
    case 'Quantifier':
      return sample(node.element).repeat(Math.max(node.min, node.max === 0 ? 0 : 1));
    case 'Assertion':
      return node.kind === 'lookahead' && !node.negate
        ? (node.alternatives[0]?.elements ?? []).map(sample).join('')
        : node.kind === 'start'
          ? '\n'
          : '';
    case 'Backreference':
      return Array.isArray(node.resolved) ? '' : sample(node.resolved as AST.CapturingGroup);
    default: {
      const one = new RegExp(node.raw, 'u');
      return candidates.find((letter) => one.test(letter)) ?? '';
    }
  }
}

const candidates = Array.from('a b\n-\'"<>()[]{}#/=.:!|*`~0A_\t\\é中');
