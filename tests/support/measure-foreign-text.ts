/** A thread that reads foreign texts of two sizes, and says how many steps that took and which functions ran. */
import { parentPort, workerData } from 'node:worker_threads';
// First, because it counts what is imported after it.
import { countSteps } from './count-steps.ts';
import type { Shape } from './foreign-text.ts';

// Parsers that collect errors spend most of their time on traces that nobody reads.
Error.stackTraceLimit = 0;

const { foreignText } = await import('./foreign-text.ts');

export interface Measured {
  name: string;
  /** By shape: the steps of a text, and of one of twice its length. */
  steps: Record<string, readonly [once: number, twice: number]>;
  functions: string[];
}

/** So many shapes are counted together. Where that isn't in proportion, they are counted one by one. */
const together = 12;

/** `length`: of the smaller text; `mostTimes`, `allowance`: what the test lets twice the text take. */
export interface Limits {
  length: number;
  mostTimes: number;
  allowance: number;
}

const {
  names,
  length: usual,
  mostTimes,
  allowance,
} = workerData as Limits & { names: readonly string[] };
for (const { name, read, shapes, length = usual, counted = 'steps' } of foreignText) {
  if (!names.includes(name)) continue;
  const functions = new Set<string>();
  const steps: Measured['steps'] = {};
  const count = async (makers: readonly Shape[], size: number) => {
    // As a text that was read: not one that the engine has yet to put together.
    const texts = makers.map((make) => Buffer.from(make(size)).toString());
    const found = await countSteps(
      async () => {
        for (const text of texts) {
          await (async () => read(text))().catch(() => undefined);
        }
      },
      { withPatterns: counted === 'steps' },
    );
    for (const one of found.functions) functions.add(one);
    return found[counted];
  };
  const all = Object.entries(shapes);
  // What is made once is made now.
  await count(Object.values(shapes).slice(0, 3), length);
  for (let at = 0; at < all.length; at += together) {
    const some = all.slice(at, at + together);
    const makers = some.map(([, make]) => make);
    const both = [await count(makers, length), await count(makers, 2 * length)] as const;
    const isEven = both[1] < 2.1 * both[0];
    for (const [shape, make] of some) {
      steps[shape] = both;
      // The engine forgets a few counts when it optimizes a function, so one alone is counted again.
      for (let time = 0; time < 3 && !isEven; time += 1) {
        const [one, two] = [await count([make], length), await count([make], 2 * length)] as const;
        if (time === 0 || two / one < steps[shape][1] / steps[shape][0]) steps[shape] = [one, two];
        if (two <= mostTimes * one + allowance) break;
      }
    }
  }
  parentPort?.postMessage({ name, steps, functions: [...functions] } satisfies Measured);
}
