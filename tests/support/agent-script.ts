/**
 * Scripts for a model that works as an agent: it answers by what it was asked, not by how often, so that
 * jobs may run side by side, be taken over by another process and go on where they were.
 */
import type { Answer, ModelRequest, Script } from './scripted-model.ts';

/** One thing that was said to the model or by it, whichever wire it came over. */
export interface Heard {
  role: 'system' | 'user' | 'assistant' | 'tool';
  text: string;
  /** Names of the tools that were called with it. */
  calls: string[];
}

/** What the model does for one instruction: answer after answer. */
export interface Plan {
  /** A text that stands in the instruction, and in no other message to the model. */
  for: string;
  answers: Answer[];
}

/**
 * Follows the plan of the newest message that has one: the first answer, then the second, ... counted by
 * what the model has said since, so that a request that is repeated gets the same answer. Afterwards, and
 * where no plan fits, it says that it is done.
 */
export function follow(...plans: Plan[]): Script {
  return (request) => {
    const messages = hear(request);
    const planOf = ({ role, text }: Heard) =>
      role === 'user' ? plans.find((plan) => text.includes(plan.for)) : undefined;
    const asked = messages.findLastIndex((message) => planOf(message) !== undefined);
    const message = messages[asked];
    const plan = message && planOf(message);
    const said = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
    return plan?.answers[said] ?? ['All done.'];
  };
}

/** The conversation as the model hears it. */
export function hear({ body, path }: ModelRequest): Heard[] {
  const heard: Heard[] = [];
  const system = body['system'] ?? body['instructions'];
  if (system !== undefined) heard.push({ role: 'system', text: textOf(system), calls: [] });
  const items = (path.endsWith('/responses') ? body['input'] : body.messages) as Item[];
  for (const item of items) heard.push(...readItem(item));
  return joinNeighbours(heard);
}

/** What the tools gave back since the model last spoke. */
export function results(request: ModelRequest): string[] {
  const heard = hear(request);
  const spoke = heard.findLastIndex(({ role }) => role === 'assistant');
  return heard
    .slice(spoke + 1)
    .filter(({ role }) => role === 'tool')
    .map(({ text }) => text);
}

/** A message of chat completions or Anthropic, or an item of the responses wire. */
interface Item {
  type?: string;
  role?: string;
  content?: unknown;
  tool_calls?: { function: { name: string } }[];
  name?: string;
  output?: unknown;
}

function readItem(item: Item): Heard[] {
  if (item.type === 'function_call')
    return [{ role: 'assistant', text: '', calls: [item.name ?? ''] }];
  // Words that the provider keeps, named by their id.
  if (item.type === 'item_reference') return [{ role: 'assistant', text: '', calls: [] }];
  if (item.type === 'function_call_output')
    return [{ role: 'tool', text: textOf(item.output), calls: [] }];
  const blocks = Array.isArray(item.content) ? (item.content as Item[]) : [];
  const role = roles[item.role ?? ''] ?? 'user';
  const given = blocks.filter(({ type }) => type === 'tool_result');
  if (given.length > 0) {
    const words = blocks.filter(({ type }) => type === 'text');
    return [
      ...given.map(({ content }) => ({ role: 'tool' as const, text: textOf(content), calls: [] })),
      ...(words.length > 0 ? [{ role, text: textOf(words), calls: [] }] : []),
    ];
  }
  const calls = [
    ...(item.tool_calls ?? []).map((call) => call.function.name),
    ...blocks.filter(({ type }) => type === 'tool_use').map(({ name }) => name ?? ''),
  ];
  return [{ role, text: textOf(item.content), calls }];
}

const roles: Record<string, Heard['role']> = {
  system: 'system',
  developer: 'system',
  assistant: 'assistant',
  tool: 'tool',
};

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content as { text?: unknown }[];
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** On the responses wire an answer is several items. */
function joinNeighbours(heard: Heard[]): Heard[] {
  const joined: Heard[] = [];
  for (const each of heard) {
    const last = joined.at(-1);
    if (last?.role === 'assistant' && each.role === 'assistant') {
      last.text += each.text;
      last.calls.push(...each.calls);
    } else joined.push({ ...each });
  }
  return joined;
}
