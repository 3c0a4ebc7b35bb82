/** The chat half of the zoo: `/v1/chat/completions`, and what Docent asks about the model. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatWire } from '../model-wires.ts';
import { type Personality, sendJson, type ZooCall, type ZooRoutes } from './wire.ts';

export interface ChatOptions {
  /** Names of what goes wrong; unknown ones are for the other half. */
  traps?: readonly string[];
  /** What the model writes, without the status line; made of what it was asked, if it is a function. */
  answer?: string | ((prompt: string) => string);
  /** Tokens of a prompt and its answer. */
  contextTokens?: number;
  /** Of the model's tokenizer: 1 for a small vocabulary and a language that it doesn't know. */
  charactersPerToken?: number;
  /** Waited for before the first word, such as a model that is loaded. */
  loading?: Promise<unknown>;
}

/** What goes wrong, each with its source. */
export const chatTraps = {
  /** `delta.reasoning` with empty `content` and no end: ollama#10456, vllm docs/features/reasoning_outputs. */
  'reasoning-only': 'thoughts alone',
  /** Thoughts in the field of Ollama, vLLM, and OpenRouter, then the answer. */
  reasoning: 'thoughts, then the answer',
  /** `delta.reasoning_content`: llama.cpp tools/server, older vLLM. */
  'reasoning-content': 'the same in the other field',
  /** `</think>` without its start, because the template wrote it: llama.cpp#23320. */
  'thinks-aloud': 'thoughts as text',
  /** ollama#16179, #3354, #12741. */
  'repeats-forever': 'one sentence without end',
  /** No headers until the model is loaded: ollama/server/sched.go. */
  'slow-first-word': 'waits for `loading`',
  /** As on two cores. For people who look, not for tests. */
  slow: 'ten words per second',
  /** llama.cpp answers 503 until its model is loaded: tools/server, `ERROR_TYPE_UNAVAILABLE`. */
  'loading-503': 'refuses the first two requests',
  /** Ollama's default below 24 GB of video memory: docs/context-length.mdx. */
  'context-4096': 'a small context',
  /** Some versions of servers: neither a finish reason nor `[DONE]`. */
  'no-done': 'ends without saying so',
  /** With status 200, as a line of JSON: older Ollama's server/routes.go, `streamResponse`. */
  'error-in-stream': 'fails in the middle, and says so',
  /**
   * Status 200, an empty chunk, and the end, without a finish reason and without `[DONE]`: `ChatWriter` of Ollama's
   * middleware/openai.go reads the error as a chunk. Seen with 0.32.15, whose runner was killed.
   */
  'runner-dies': 'fails in the middle',
  /** Ollama before 0.30 dropped what doesn't fit: ollama#10980, #5736. */
  'drops-prompt': 'reads the end of the prompt',
  /** Vane#719, cuga-agent#468. */
  'citations-as-brackets': '[1,2][3]',
  'citations-as-lenticular': '【1】',
  'citations-as-footnotes': '[^1]',
  'citations-as-parentheses': '(1)',
  'citations-as-words': '[Source 1]',
  /** Small models read the prompt out. */
  'repeats-rules': 'the rules of the prompt',
  /** Models below about 4 billion parameters don't write the line that the prompt asks for. */
  'no-status-line': 'the answer alone',
  /** They answer from what they know elsewhere. */
  'other-topic': 'what no passage says',
} as const;
export type ChatTrap = keyof typeof chatTraps;

const otherTopic =
  'Photosynthesis converts sunlight into chemical energy inside chloroplasts. Plants absorb carbon dioxide through stomata and release oxygen, while glucose molecules nourish growing leaves, roots, and flowers during springtime. Farmers rotate wheat, barley, and potatoes between neighboring fields.';

export function createChat(personality: Personality, options: ChatOptions = {}) {
  const traps = new Set(options.traps);
  const is = (trap: ChatTrap) => traps.has(trap);
  const context = options.contextTokens ?? (is('context-4096') ? 4_096 : 32_768);
  /** What reached the model: messages that didn't fit are gone. */
  const read: string[] = [];
  const maxTokens: unknown[] = [];
  const { charactersPerToken = 3.2 } = options;
  const tokensOf = (text: string): number => Math.ceil(text.length / charactersPerToken);
  let refusals = is('loading-503') ? 2 : 0;
  let isLoaded = false;

  async function complete({ body, response, left }: ZooCall): Promise<void> {
    if (refusals > 0) {
      refusals -= 1;
      sendJson(response, 503, {
        error: { code: 503, message: 'Loading model', type: 'unavailable_error' },
      });
      return;
    }
    if (is('slow-first-word')) await Promise.race([options.loading, once(left, 'abort')]);
    if (left.aborted) return;
    const messages = (body['messages'] ?? []) as { role: string; content: unknown }[];
    const whole = messages.map(({ content }) => String(content)).join('\n');
    const limit = Number(body['max_tokens'] ?? 0);
    const needed = tokensOf(whole);
    if (needed >= context && !is('drops-prompt')) {
      refuse(response, needed);
      return;
    }
    const room = context - limit;
    const prompt = needed <= room ? whole : whole.slice(-Math.floor(room * charactersPerToken));
    read.push(prompt);
    maxTokens.push(body['max_tokens']);
    isLoaded = true;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = async (delta: object) => {
      if (is('slow')) await sleep(100);
      if (left.aborted || response.write(chatWire.chunk(delta))) return;
      await Promise.race([once(response, 'drain'), once(left, 'abort')]);
    };
    await answer(say, prompt, response, left);
    if (left.aborted) return;
    if (is('no-done') || is('error-in-stream')) {
      response.end(is('no-done') ? '' : '{"error":"llama runner process has terminated"}\n\n');
      return;
    }
    if (is('runner-dies')) {
      response.end(chatWire.chunk({ content: '' }));
      return;
    }
    const tokens = { input: tokensOf(prompt), output: 20 };
    for (const line of chatWire.end(body, tokens)) response.write(line);
    response.end();
  }

  /** The first two as seen: llama.cpp of October 2026, and Ollama 0.32.15, which passes on the body of its own. */
  function refuse(response: ServerResponse, tokens: number): void {
    const message = `request (${tokens} tokens) exceeds the available context size (${context} tokens), try increasing it`;
    const type = 'exceed_context_size_error';
    const error = { code: 400, message, type, n_prompt_tokens: tokens, n_ctx: context };
    if (personality === 'ollama') {
      const passed = { message: JSON.stringify({ error }), type: 'invalid_request_error' };
      sendJson(response, 400, { error: { ...passed, param: null, code: null } });
    } else if (personality === 'vllm') {
      // entrypoints/openai: `VLLMValidationError(parameter="input_tokens")`.
      const words = `This model's maximum context length is ${context} tokens. However, your request has ${tokens} input tokens. Please reduce the length of the input messages.`;
      const named = { type: 'BadRequestError', param: 'input_tokens', code: 400 };
      sendJson(response, 400, { error: { message: words, ...named } });
    } else sendJson(response, 400, { error });
  }

  async function answer(
    say: (delta: object) => Promise<void>,
    prompt: string,
    response: ServerResponse,
    left: AbortSignal,
  ): Promise<void> {
    await say({ role: 'assistant', content: '' });
    if (is('reasoning-only')) {
      while (!left.aborted) {
        for (const word of thoughts.split(' ')) await say({ reasoning: `${word} `, content: '' });
        await new Promise((resolve) => setImmediate(resolve));
      }
      return;
    }
    for (const word of thoughts.split(/(?<= )/)) {
      if (is('reasoning')) await say({ reasoning: word, content: '' });
      if (is('reasoning-content')) await say({ reasoning_content: word, content: null });
      if (is('thinks-aloud')) await say({ content: word });
    }
    if (is('thinks-aloud')) await say({ content: '\n</think>\n\n' });
    const line = /<<\w+:answered>>/.exec(prompt)?.[0] ?? '';
    if (!is('no-status-line') && !is('repeats-rules')) await say({ content: `${line}\n` });
    const given = options.answer ?? 'Install Kestrel with its package manager.';
    const text = is('other-topic') ? otherTopic : typeof given === 'string' ? given : given(prompt);
    if (is('repeats-rules')) await say({ content: `${prompt.slice(0, 1_500)}\n` });
    else for (const word of cite(text).split(/(?<= )/)) await say({ content: word });
    while (is('repeats-forever') && !left.aborted) {
      for (let times = 0; times < 10; times++)
        await say({ content: ' It is installed with the package manager.' });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  function cite(text: string): string {
    if (is('citations-as-brackets')) return `${text.replace(/\.$/, '')} [1,2][1].`;
    if (is('citations-as-lenticular')) return `${text.replace(/\.$/, '')} 【1】.`;
    if (is('citations-as-footnotes')) return `${text.replace(/\.$/, '')} [^1].`;
    if (is('citations-as-parentheses')) return `${text.replace(/\.$/, '')} (1).`;
    return is('citations-as-words') ? `${text.replace(/\.$/, '')} [Source 1].` : text;
  }

  const routes: ZooRoutes = async (call) => {
    const { method, path, body, response } = call;
    const model = 'zoo-model';
    if (path === '/v1/chat/completions') {
      await complete(call);
      return true;
    }
    const owners: Partial<Record<Personality, string>> = {
      // entrypoints/openai/models/protocol.py
      vllm: 'vllm',
      'llama-cpp': 'llamacpp',
      ollama: 'library',
      'lm-studio': 'organization_owner',
      localai: '',
    };
    if (path === '/v1/models' && method === 'GET' && owners[personality] !== undefined) {
      const more = {
        vllm: { max_model_len: context },
        // tools/server: `meta` of `/v1/models`.
        'llama-cpp': { meta: { n_ctx: context, n_ctx_train: 131_072 } },
      };
      const own = personality === 'vllm' || personality === 'llama-cpp' ? more[personality] : {};
      const owned_by = owners[personality];
      sendJson(response, 200, {
        object: 'list',
        data: [{ id: model, object: 'model', owned_by, ...own }],
      });
      return true;
    }
    if (personality === 'llama-cpp' && path === '/props') {
      sendJson(response, 200, { default_generation_settings: { n_ctx: context }, total_slots: 1 });
      return true;
    }
    // api/types.go: `ProcessResponse`, `ShowResponse`. The first lists models in memory alone.
    if (personality === 'ollama' && path === '/api/ps') {
      const running = {
        name: `${model}:latest`,
        model: `${model}:latest`,
        context_length: context,
      };
      sendJson(response, 200, { models: isLoaded ? [running] : [] });
      return true;
    }
    if (personality === 'ollama' && path === '/api/show' && method === 'POST') {
      if (body['model'] !== model)
        sendJson(response, 404, { error: `model '${String(body['model'])}' not found` });
      else
        sendJson(response, 200, {
          parameters: 'stop "<|im_end|>"',
          model_info: { 'llama.context_length': 131_072 },
        });
      return true;
    }
    // lmstudio.ai/docs/developer/rest/endpoints
    if (personality === 'lm-studio' && path === '/api/v0/models') {
      const loaded = {
        state: 'loaded',
        loaded_context_length: context,
        max_context_length: 131_072,
      };
      sendJson(response, 200, { object: 'list', data: [{ id: model, type: 'llm', ...loaded }] });
      return true;
    }
    // LocalAI: core/schema, `SystemInformationResponse`.
    if (personality === 'localai' && path === '/system') {
      sendJson(response, 200, { backends: ['llama-cpp'], loaded_models: [{ id: model }] });
      return true;
    }
    return false;
  };
  return { routes, model: 'zoo-model', read, maxTokens };
}

const thoughts =
  'Okay, the reader asks about Kestrel. I look at the passages, and decide what to write first.';
