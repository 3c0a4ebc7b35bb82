/** A thread that reads foreign texts of two sizes, and says how many steps that took and which functions ran. */
import { parentPort, workerData } from 'node:worker_threads';
// First, because it counts what is imported after it.
import { countSteps } from './count-steps.ts';

const { foreignText } = await import('./foreign-text.ts');

export interface Measured {
  name: string;
  /** By shape: the steps of a text, and of one of twice its length. */
  steps: Record<string, [once: number, twice: number]>;
  functions: string[];
}

const { names, length: usual } = workerData as { names: readonly string[]; length: number };
for (const { name, read, shapes, length = usual, counted = 'steps' } of foreignText) {
  if (!names.includes(name)) continue;
  const functions = new Set<string>();
  const steps: Measured['steps'] = {};
  // What is made once is made now.
  for (const make of Object.values(shapes).slice(0, 3)) await countSteps(() => read(make(length)));
  for (const [shape, make] of Object.entries(shapes)) {
    const texts = [make(length), make(2 * length)] as const;
    const once = await countSteps(() => read(texts[0]));
    const twice = await countSteps(() => read(texts[1]));
    steps[shape] = [once[counted], twice[counted]];
    for (const one of twice.functions) functions.add(one);
  }
  parentPort?.postMessage({ name, steps, functions: [...functions] } satisfies Measured);
}
