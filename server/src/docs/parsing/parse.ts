/** Reads a foreign document in a worker: the only way in. */
import {
  isTooMuch,
  type RunTask,
  type RunTaskOf,
  runInWorker,
} from '../../platform/workers/worker-pool.ts';
import { type Frontmatter, longFrontmatter, readFrontmatter } from '../markdown/frontmatter.ts';
import type { Value } from '../generators/script-values.ts';
import type { parseTasks } from './parse-tasks.ts';

export type Parse = RunTaskOf<typeof parseTasks>;

export const toParse = (run: RunTask) => run as Parse;

export const parse = toParse(runInWorker);

const maxSettings = 256 * 1024;

/** Settings, or `undefined`: they can't be read. */
async function readSettings<Kind extends 'yaml' | 'toml' | 'script'>(
  kind: Kind,
  text: string,
  shared?: Parameters<(typeof parseTasks)[Kind]>[1],
) {
  if (text.length > maxSettings) return undefined;
  try {
    return await parse(kind, text, { shared });
  } catch (error) {
    if (isTooMuch(error)) return undefined;
    throw error;
  }
}

export const readYaml = (text: string) => readSettings('yaml', text);
export const readToml = (text: string) => readSettings('toml', text);
export const readScript = (text: string, imported?: Record<string, Value>) =>
  readSettings('script', text, imported);

/** Most frontmatter is read in less time than a message to a worker takes. */
export function frontmatterOf(
  markdown: string,
  run: RunTaskOf<Pick<typeof parseTasks, 'frontmatter'>> = parse,
): Frontmatter | Promise<Frontmatter> {
  const long = longFrontmatter(markdown);
  return long === undefined ? readFrontmatter(markdown) : run('frontmatter', long);
}
