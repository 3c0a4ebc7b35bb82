/**
 * Counts what a function does, so that no test needs a clock: how often V8 runs each block of our sources and
 * of the libraries, plus the characters and elements that the engine's own searches and copies go through.
 *
 * Import it before the code that it measures, in a thread of its own: V8 counts blocks only in code that it
 * compiles afterwards, and the counting replaces methods of the language.
 */
import { Session } from 'node:inspector';
import { patternSteps } from './pattern-steps.ts';

let native = 0;

type Method = (this: never, ...given: never[]) => unknown;
type Cost = (self: never, given: never, result: never) => number;

function count(owner: object, costs: Record<string, Cost>): void {
  for (const [name, cost] of Object.entries(costs)) {
    const key = name === 'iterator' ? Symbol.iterator : name;
    const original = (owner as Record<typeof key, Method>)[key] as Method;
    const counted = function (this: never, ...given: never[]): unknown {
      const result = original.apply(this, given);
      native += cost(this, given as never, result as never);
      return result;
    };
    Object.defineProperty(owner, key, { value: counted, configurable: true, writable: true });
  }
}

// oxlint-disable-next-line typescript/unbound-method -- it's called with its object as `this`
const { indexOf } = String.prototype;
const reach = (text: string, searched: unknown, at: number) =>
  at < 0 ? text.length : at + String(searched).length;
const whole = (self: { length: number }) => self.length;
const made = (_self: never, _given: never[], result: { length: number }) => result.length;

count(String.prototype, {
  indexOf: (self: string, [searched, from]: [string, number?], at: number) =>
    Math.max(0, reach(self, searched, at) - (from ?? 0)),
  includes: (self: string, [searched, from]: [string, number?]) =>
    Math.max(0, reach(self, searched, indexOf.call(self, searched, from)) - (from ?? 0)),
  lastIndexOf: (self: string, [, from]: [string, number?], at: number) =>
    Math.min(self.length, from ?? Infinity) - Math.max(at, 0),
  startsWith: (_self, [searched]: [string]) => searched.length,
  endsWith: (_self, [searched]: [string]) => searched.length,
  trim: (self: string, _given, result: string) => self.length - result.length,
  trimStart: (self: string, _given, result: string) => self.length - result.length,
  trimEnd: (self: string, _given, result: string) => self.length - result.length,
  // What a regular expression searches is counted below.
  replace: (self: string, [searched]: [unknown]) =>
    typeof searched === 'string' ? reach(self, searched, indexOf.call(self, searched)) : 0,
  replaceAll: (self: string, [searched]: [unknown]) =>
    typeof searched === 'string' ? self.length : 0,
  split: (self: string, [separator]: [unknown]) =>
    typeof separator === 'string' ? self.length : 0,
  toLowerCase: whole,
  toUpperCase: whole,
  toLocaleLowerCase: whole,
  normalize: whole,
  localeCompare: whole,
  repeat: made,
  padEnd: made,
  padStart: made,
  iterator: whole,
});
count(Array.prototype, {
  indexOf: (self: unknown[], [, from]: [unknown, number?], at: number) =>
    (at < 0 ? self.length : at + 1) - Math.min(from ?? 0, self.length),
  includes: (self: unknown[], [searched]: [unknown], isIn: boolean) =>
    isIn ? self.findIndex((one) => one === searched) + 1 : self.length,
  lastIndexOf: (self: unknown[], _given, at: number) => self.length - Math.max(at, 0),
  concat: made,
  slice: made,
  join: whole,
  reverse: whole,
  shift: whole,
  unshift: whole,
  splice: (self: unknown[], [from]: [number]) => (from < 0 ? -from : self.length - from),
  toSpliced: made,
  toReversed: made,
  with: whole,
  flat: made,
  fill: whole,
  iterator: whole,
});
count(Object, {
  keys: made,
  values: made,
  entries: made,
  fromEntries: (_self, _given, result: object) => Reflect.ownKeys(result).length,
  assign: (_self, given: object[]) =>
    given.slice(1).reduce((sum, one) => sum + Reflect.ownKeys(one ?? {}).length, 0),
});
count(JSON, {
  parse: (_self, [text]: [string]) => text.length,
  stringify: (_self, _given, text: string | undefined) => text?.length ?? 0,
});
count(Buffer.prototype, { toString: made, indexOf: whole, includes: whole, equals: whole });
// oxlint-disable-next-line typescript/unbound-method -- it's called with its object as `this`
const { exec } = RegExp.prototype;
/** What expressions read isn’t counted: it is being counted, or nobody asks for it. */
let isOff = false;
Object.defineProperty(RegExp.prototype, 'exec', {
  // The other methods call it, once it's replaced.
  value(this: RegExp, given: string): RegExpExecArray | null {
    const text = String(given);
    const start = this.global || this.sticky ? this.lastIndex : 0;
    const match = exec.call(this, text);
    if (isOff) return match;
    isOff = true;
    const before = native;
    const steps = patternSteps(this, text, start, match);
    native = before + steps;
    isOff = false;
    return match;
  },
  configurable: true,
  writable: true,
});

interface Coverage {
  result: {
    url: string;
    functions: { functionName: string; ranges: { count: number }[] }[];
  }[];
}

const support = new URL('.', import.meta.url).href;

const session = new Session();
session.connect();
function post(method: string, options?: object): unknown {
  let reply: unknown;
  session.post(method, options, (error: Error | null, result?: unknown) => {
    if (error) throw error;
    reply = result;
  });
  return reply;
}
post('Profiler.enable');
post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

export interface Counted {
  steps: number;
  /** Of them, blocks of our sources. */
  own: number;
  /** What ran, as `<address of the file> <name>`. */
  functions: string[];
}

/** What ran since the last count is counted too, so nothing else may. `withPatterns`: what expressions read is in `steps`. */
export async function countSteps(
  work: () => unknown,
  { withPatterns = true } = {},
): Promise<Counted> {
  native = 0;
  isOff = !withPatterns;
  // A text that is nested too deep, or that is refused, has been read too.
  await (async () => work())().catch(() => undefined);
  let steps = native;
  let own = 0;
  const functions: string[] = [];
  const { result } = post('Profiler.takePreciseCoverage') as Coverage;
  for (const { url, functions: all } of result) {
    if (url.startsWith(support)) continue;
    for (const { functionName, ranges } of all) {
      for (const { count: times } of ranges) {
        steps += times;
        if (!url.includes('/node_modules/')) own += times;
      }
      if ((ranges[0]?.count ?? 0) > 0) functions.push(`${url} ${functionName}`);
    }
  }
  return { steps, own, functions };
}
