/** For tests of the loop: a run with the real SDK over HTTP, and what the runner would have stored of it. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { AgentEvent } from '@docent/shared/agent-events';
import type { ModelMessage } from 'ai';
import type { ScriptedModel } from '../../tests/support/scripted-model.ts';
import { treeOf } from './memory-tree.ts';
import { ChecksConfig, ProjectConfig } from '../src/platform/config/project-config.ts';
import { createFileSet, type FileSet } from '../src/agent/workspace/file-set.ts';
import { createPathPolicy } from '../src/agent/workspace/path-policy.ts';
import type { AgentModel } from '../src/platform/models/agent-models.ts';
import { runLoop } from '../src/agent/loop/agent-loop.ts';
import type { LoopInput, StepRecord, WaitingInstruction } from '../src/agent/loop/agent-loop.ts';

export const wires = ['chat completions', 'responses', 'anthropic'] as const;
type Wire = (typeof wires)[number];

export const docs = {
  'docs/index.md': '# Kestrel\n\nKestrel watches your servers.\n',
  'docs/install.md': '# Install\n\nRun `npm i kestrel`, then start teh service.\n',
  'docs/guides/alerts.md': '# Alerts\n\nAlerts go to e-mail.\n',
};

export function toAgentModel(
  { url }: Pick<ScriptedModel, 'url'>,
  wire: Wire = 'chat completions',
  more: Partial<AgentModel> = {},
): AgentModel {
  const models = {
    'chat completions': () =>
      createOpenAICompatible({ name: 'main', baseURL: url, apiKey: 'sk-main', includeUsage: true }),
    responses: () => createOpenAI({ baseURL: url, apiKey: 'sk-main' }),
    anthropic: () => createAnthropic({ baseURL: url, apiKey: 'sk-main' }),
  };
  const providerOptions: AgentModel['providerOptions'] =
    wire === 'responses' ? { openai: { store: false } } : {};
  return {
    name: 'main',
    model: models[wire]()('scripted'),
    price: undefined,
    contextTokens: 128_000,
    maxOutputTokens: undefined,
    providerOptions,
    ...more,
  };
}

export function openFiles(
  files: Parameters<typeof treeOf>[0] = docs,
  settings: { docsRoot?: string; paths?: object } = {},
): FileSet {
  const { paths, docsRoot } = ProjectConfig.parse({ id: 'p', organization: 'o', ...settings });
  return createFileSet({ tree: treeOf(files), policy: createPathPolicy(paths, docsRoot) });
}

/** What a job has stored, as the runner would: it survives runs. */
export function createStore(...instructions: string[]) {
  let last = 0;
  const store = {
    messages: [] as ModelMessage[],
    steps: [] as StepRecord[],
    events: [] as AgentEvent[],
    waiting: [] as WaitingInstruction[],
    ask(content: string, role: WaitingInstruction['role'] = 'user') {
      store.waiting.push({ id: `p${++last}`, role, content });
    },
    save(step: StepRecord) {
      // What is stored is JSON.
      const messages = JSON.parse(JSON.stringify(step.messages)) as ModelMessage[];
      store.messages = step.replacesEarlier ? messages : [...store.messages, ...messages];
      store.waiting = store.waiting.filter(({ id }) => !step.taken.includes(id));
      store.steps.push(step);
    },
    /** The words of the agent, as its followers saw them. */
    get text() {
      return store.events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    },
    /** What the tools said, in order. */
    get outputs() {
      return store.events.flatMap((event) =>
        event.type === 'tool-result' ? [(event.isError ? 'ERROR ' : '') + event.output] : [],
      );
    },
  };
  for (const instruction of instructions) store.ask(instruction);
  return store;
}

export type Store = ReturnType<typeof createStore>;

export function work(
  model: AgentModel,
  store: Store,
  more: Partial<LoopInput> = {},
): ReturnType<typeof runLoop> {
  return runLoop({
    model,
    systemPrompt: 'You edit documentation.',
    messages: store.messages,
    files: openFiles(),
    project: { docsRoot: 'docs', checks: ChecksConfig.parse({}) },
    todos: [],
    signal: new AbortController().signal,
    waitingInstructions: async () => [...store.waiting],
    onStep: async (step) => store.save(step),
    onEvent: (event) => store.events.push(event),
    retry: { attempts: 4, baseMs: 1, capMs: 5_000 },
    ...more,
  });
}

/** The last call of a plan. */
export const finish = (more: object = {}) => ({
  call: 'finish',
  input: { title: 'Correct a typo', message: 'I corrected the typo.', ...more },
});

export async function textAt(files: FileSet, path: string): Promise<string | undefined> {
  const changed = await files.changes();
  return changed.find((change) => change.path === path)?.after?.toString();
}
