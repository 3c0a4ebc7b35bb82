/** A model that writes one page for each task that it was told, slowly, and breaks off now and then. */
import type { createRandom } from '../../support/random.ts';
import { cut, type Script, startScriptedModel } from '../../support/scripted-model.ts';
import { setTimeout as pause } from 'node:timers/promises';

export const pageOf = (task: string) => `docs/notes/${task}.md`;
export const promptOf = (task: string) => `TASK ${task}. Write its page.`;
export const tasksIn = (text: string) =>
  [...text.matchAll(/TASK (j\d+m\d+)\./g)].map(([, task = '']) => task);

interface Said {
  role: string;
  content: unknown;
  tool_calls?: { function: { arguments: string } }[];
}

export function startWriter(random: ReturnType<typeof createRandom>) {
  const script: Script = ({ body }) => {
    if (random.isTrue(0.04)) return { status: 500 };
    const wait = { wait: pause(random.below(600)) };
    if (random.isTrue(0.03)) return ['I beg', wait, cut];
    const messages = (body.messages ?? []) as Said[];
    const told = messages
      .filter(({ role }) => role === 'user')
      .flatMap(({ content }) => tasksIn(JSON.stringify(content)));
    const calls = messages.flatMap((message) => message.tool_calls ?? []);
    const done = new Set(calls.map((call) => pathIn(call.function.arguments)));
    const task = told.find((each) => !done.has(pageOf(each)));
    if (task === undefined) {
      return ['Done.', wait, { call: 'finish', input: { title: 'Add notes', message: 'Added.' } }];
    }
    return [wait, { call: 'write', input: { path: pageOf(task), content: `# ${task}\n` } }];
  };
  return startScriptedModel(script);
}

function pathIn(text: string): string | undefined {
  return (JSON.parse(text) as { path?: string }).path;
}
