/** Reads a foreign document: the one way in, so that it can happen in another thread. */
import { parseTasks } from './parse-tasks.ts';
type Tasks = typeof parseTasks;

export type Parse = <Name extends keyof Tasks>(
  name: Name,
  input: Parameters<Tasks[Name]>[0],
  options?: { shared?: Parameters<Tasks[Name]>[1]; signal?: AbortSignal | undefined },
) => Promise<ReturnType<Tasks[Name]>>;

export const parse = (async (name, input, { shared, signal } = {}) => {
  signal?.throwIfAborted();
  return (parseTasks[name] as (...all: unknown[]) => unknown)(input, shared);
}) as Parse;
