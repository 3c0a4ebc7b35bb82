/** Reads a foreign document in a worker: the only way in. */
import { isTooMuch, type RunTask, type RunTaskOf } from '../../platform/workers/worker-pool.ts';
import { runInWorker } from '../../platform/workers/workers.ts';
import { type Frontmatter, longFrontmatter, readFrontmatter } from '../markdown/frontmatter.ts';
import type { parseTasks } from './parse-tasks.ts';

export type Parse = RunTaskOf<typeof parseTasks>;

export const toParse = (run: RunTask) => run as Parse;

export const parse = toParse(runInWorker);

const maxYaml = 256 * 1024;

/** `undefined`: it isn't an object, or it can't be read. */
export async function readYaml(text: string): Promise<Record<string, unknown> | undefined> {
  if (text.length > maxYaml) return undefined;
  try {
    return await parse('yaml', text);
  } catch (error) {
    if (isTooMuch(error)) return undefined;
    throw error;
  }
}

/** Most frontmatter is read in less time than a message to a worker takes. */
export function frontmatterOf(
  markdown: string,
  run: RunTaskOf<Pick<typeof parseTasks, 'frontmatter'>> = parse,
): Frontmatter | Promise<Frontmatter> {
  const long = longFrontmatter(markdown);
  return long === undefined ? readFrontmatter(markdown) : run('frontmatter', long);
}
