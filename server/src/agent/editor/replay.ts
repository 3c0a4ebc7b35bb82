/**
 * Lets a program be written as if tools answered at once, for a model that knows only the conversation:
 * it is run from its beginning each time, and calls whose results stand in the conversation have them at
 * once. Where it waits for others, those are the next step.
 */
export interface Recorded {
  name: string;
  input: unknown;
  isError: boolean;
  text: string;
}

export interface Call {
  name: string;
  input: Record<string, unknown>;
}

/** A tool refused; its message is for whoever reads the end. */
export class ToolFailed extends Error {
  override readonly name = 'ToolFailed';
}

export type CallTool = (name: string, input: Record<string, unknown>) => Promise<string>;

export async function replay<Result>(
  program: (call: CallTool) => Promise<Result>,
  recorded: readonly Recorded[],
): Promise<{ isDone: true; result: Result } | { isDone: false; next: Call[] }> {
  const answers = Map.groupBy(recorded, ({ name, input }) => sign(name, input));
  const next: Call[] = [];
  let hasMoved = true;
  const call: CallTool = async (name, input) => {
    hasMoved = true;
    const answer = answers.get(sign(name, input))?.shift();
    if (answer === undefined) {
      next.push({ name, input });
      // Goes on in the next step, from the beginning.
      return new Promise<string>(() => {});
    }
    if (answer.isError) throw new ToolFailed(answer.text);
    return answer.text;
  };
  const outcome: { settled?: { result: Result } | { error: unknown } } = {};
  program(call).then(
    (result) => (outcome.settled = { result }),
    (error: unknown) => (outcome.settled = { error }),
  );
  // The program waits for nothing but tools, so that it stands still once all promises have been seen to.
  while (outcome.settled === undefined && hasMoved) {
    hasMoved = false;
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (outcome.settled === undefined) return { isDone: false, next };
  if ('error' in outcome.settled) throw outcome.settled.error;
  return { isDone: true, result: outcome.settled.result };
}

/** Keys in one order: a conversation that was stored may have another. */
function sign(name: string, input: unknown): string {
  return `${name} ${JSON.stringify(input, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )}`;
}
