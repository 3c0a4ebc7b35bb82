/**
 * What answers behind an OpenAI-compatible address, as far as it says: which server it is, and how much
 * text fits into its model. Asked when the service starts and after answers, never while a reader waits for a
 * word. What the API doesn't say, such as how a model counts tokens, is learned from its answers.
 */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { untilAborted } from '../abort.ts';
import { askServer, readText } from './ask-server.ts';

/** Servers that people run themselves. Hosted ones say nothing of the kind. */
export type ServerKind = 'Ollama' | 'llama.cpp' | 'vLLM' | 'LM Studio' | 'LocalAI';

export interface ServerFacts {
  kind?: ServerKind | undefined;
  /** Tokens of a prompt and its answer, as the server runs the model. */
  contextTokens?: number | undefined;
  /** The same, as far as the model could go. */
  trainedTokens?: number | undefined;
  /** Whether the model is in memory; undefined: the server doesn't say. */
  isLoaded?: boolean | undefined;
}

/** A prompt of which the server counted much less than it was sent, so it dropped a part without a word. */
export interface DroppedPrompt {
  sentTokens: number;
  countedTokens: number;
}

export interface ModelServerSettings {
  /** Including the version, such as `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /** As configured. */
  contextTokens?: number | undefined;
}

export type ModelServer = ReturnType<typeof createModelServer>;

const askMs = 2_000;
/** In characters. Ollama's template of a model and its license are part of it. */
const maxReplyLength = 1 << 22;
/** How long a question waits for the first facts. They come with the start of the service. */
const firstFactsMs = 1_000;
const freshMs = 60_000;
/** When a server that is away is asked again. */
const awayMs = 10_000;
/** Ollama's, unless the machine has 24 GB of video memory. It says its real one once the model is loaded. */
const ollamaContext = 4_096;
/** Below this share of what was sent, a part of the prompt is gone. Tokenizers differ less. */
const droppedShare = 0.6;
/** Small vocabularies have a token for each byte of Thai or Hindi. */
const maxRatio = 10;

export function createModelServer(settings: ModelServerSettings) {
  const { baseUrl, model, apiKey } = settings;
  const root = baseUrl.replace(/\/v1$/, '');
  const isOurs = (name: unknown) => name === model || name === `${model}:latest`;
  let asking: Promise<void> | undefined;
  let askedAt = -Infinity;
  let wasAsked = false;

  /** The reply as JSON; undefined: there is none. */
  async function get(url: string, body?: object): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(askMs);
      const asked = { apiKey, signal, body: body && JSON.stringify(body) };
      const response = await askServer(new URL(url), asked);
      const text = await readText(response, maxReplyLength);
      return response.statusCode === 200 ? JSON.parse(text) : undefined;
    } catch {
      return undefined;
    }
  }

  async function describe(): Promise<ServerFacts | undefined> {
    const listed = await get(`${baseUrl}/models`);
    // Each of them lists its models.
    if (listed === undefined) return undefined;
    const all = listAt(listed, 'data');
    const entry = all.find((one) => isOurs(at(one, 'id'))) ?? (all.length === 1 ? all[0] : {});
    // github.com/vllm-project/vllm, `entrypoints/openai/models/protocol.py`.
    if (at(entry, 'owned_by') === 'vllm')
      return { kind: 'vLLM', contextTokens: count(at(entry, 'max_model_len')) };
    // github.com/ggml-org/llama.cpp, `tools/server`.
    if (at(entry, 'owned_by') === 'llamacpp') {
      const settings = ['default_generation_settings', 'n_ctx'];
      // Of one request: it divides its context among the requests that it takes at once.
      const own = at(entry, 'meta', 'n_ctx') ?? at(await get(`${root}/props`), ...settings);
      const trainedTokens = count(at(entry, 'meta', 'n_ctx_train'));
      return { kind: 'llama.cpp', contextTokens: count(own), trainedTokens };
    }
    const running = at(await get(`${root}/api/ps`), 'models');
    if (Array.isArray(running)) return describeOllama(running);
    // lmstudio.ai/docs/developer/rest/endpoints
    const studio = listAt(await get(`${root}/api/v0/models`), 'data');
    const loaded = studio.find((one) => isOurs(at(one, 'id')));
    if (loaded !== undefined) {
      return {
        kind: 'LM Studio',
        contextTokens: count(at(loaded, 'loaded_context_length')),
        trainedTokens: count(at(loaded, 'max_context_length')),
        isLoaded: at(loaded, 'state') === 'loaded',
      };
    }
    if (at(await get(`${root}/system`), 'loaded_models')) return { kind: 'LocalAI' };
    return {};
  }

  /** `ProcessResponse` and `ShowResponse` of Ollama's `api/types.go`. */
  async function describeOllama(models: unknown[]): Promise<ServerFacts> {
    const shown = await get(`${root}/api/show`, { model });
    const info = Object.entries(at(shown, 'model_info') ?? {});
    const trainedTokens = count(info.find(([key]) => key.endsWith('.context_length'))?.[1]);
    const running = models.find((one) => isOurs(at(one, 'name')) || isOurs(at(one, 'model')));
    const parameters = at(shown, 'parameters');
    const written = typeof parameters === 'string' ? parameters : '';
    const set = Number(/^num_ctx\s+(\d{1,9})$/m.exec(written)?.[1] ?? ollamaContext);
    const contextTokens =
      count(at(running, 'context_length')) ?? Math.min(set, trainedTokens ?? set);
    return { kind: 'Ollama', contextTokens, trainedTokens, isLoaded: running !== undefined };
  }

  /** Asks the server, unless it was asked a short time ago. */
  function refresh(): Promise<void> {
    if (asking || performance.now() - askedAt < freshMs) return asking ?? Promise.resolve();
    askedAt = performance.now();
    asking = describe().then((found) => {
      asking = undefined;
      wasAsked = true;
      if (found) server.facts = found;
      else askedAt += awayMs - freshMs;
    });
    return asking;
  }

  const server = {
    facts: {} as ServerFacts,
    habits: {} as ModelHabits,
    /** The last prompt, if the server dropped a part of it. */
    dropped: undefined as DroppedPrompt | undefined,
    /** What it counts for each token that we estimate. */
    tokenRatio: 1,
    /** The smaller of what is configured and what the server says. */
    contextTokens(): number | undefined {
      const { contextTokens: own = Infinity } = settings;
      const least = Math.min(own, server.facts.contextTokens ?? Infinity);
      return least < Infinity ? least : undefined;
    },
    refresh,
    /** Asks anew. */
    async look(): Promise<ServerFacts> {
      await asking;
      askedAt = -Infinity;
      await refresh();
      return server.facts;
    },
    /** Settles with the first facts, or soon. */
    async ready(): Promise<void> {
      if (!asking || wasAsked) return;
      const late = AbortSignal.timeout(firstFactsMs);
      await untilAborted(async () => asking, late).catch(() => undefined);
    },
    /** Whether a server of one's own answers at all, such as one that loads its model. */
    isAlive: async (): Promise<boolean> =>
      server.facts.kind !== undefined && (await get(`${baseUrl}/models`)) !== undefined,
    /** Learns from the tokens that the server counted for a prompt; `Infinity`: too many. */
    learn(prompt: LanguageModelV4Prompt, countedTokens: number | undefined): void {
      const estimatedTokens = countPrompt(prompt);
      if (server.facts.kind === undefined || countedTokens === undefined) return;
      const { tokenRatio } = server;
      const sentTokens = Math.round(estimatedTokens * tokenRatio);
      const isDropped = countedTokens < sentTokens * droppedShare;
      server.dropped = isDropped ? { sentTokens, countedTokens } : undefined;
      if (isDropped) return;
      const counted = countedTokens < Infinity ? countedTokens : 2 * sentTokens;
      const now = Math.min(maxRatio, counted / (estimatedTokens || 1));
      // A text that takes more must fit the next time; less is believed slowly.
      server.tokenRatio = now > tokenRatio ? now : tokenRatio + (now - tokenRatio) / 4;
    },
  };
  void refresh();
  return server;
}

const contextSettings: Record<ServerKind, string> = {
  Ollama: 'Start Ollama with OLLAMA_CONTEXT_LENGTH=16384',
  'llama.cpp': 'Start llama-server with --ctx-size 16384 (--parallel divides it)',
  vLLM: 'Start vLLM with --max-model-len 16384',
  'LM Studio': 'Load the model in LM Studio with a context length of 16384',
  LocalAI: 'Set context_size: 16384 in the model’s file of LocalAI',
};

/** How to give a model more context. */
export const contextAdvice = (kind: ServerKind | undefined, name: string): string =>
  kind === undefined
    ? `Set models.${name}.contextTokens to the context that the server really has.`
    : `${contextSettings[kind]}, or set models.${name}.contextTokens to the context that it really has.`;

/** What happened to the last prompt, if the server dropped a part of it. */
export function droppedNotice(name: string, server: ModelServer | undefined): string | undefined {
  if (!server?.dropped) return undefined;
  const { countedTokens, sentTokens } = server.dropped;
  return `The server of the model "${name}" counted ${countedTokens} tokens of about ${sentTokens}, so it dropped a part of the prompt. ${contextAdvice(server.facts.kind, name)}`;
}

/** How a model answers, as far as it shows. */
export interface ModelHabits {
  /** It writes its thoughts as text, and says only where they end. */
  thinksAloud?: boolean;
  /** It was seen to answer without thoughts. */
  isPlain?: boolean;
}

/**
 * About how many tokens a text has, for what must fit: rather too many. Words of prose are about one each;
 * digits and signs are one each too, so that code and addresses have up to twice as many as prose of the
 * same length. Within 8% of Llama's tokenizer, and up to a third above newer ones, for prose and code.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(pieces)) {
    const code = piece.charCodeAt(0);
    const isLatin = (code > 64 && code < 91) || (code > 96 && code < 123);
    if (isLatin) tokens += piece.length <= 6 ? 1 : 1 + (piece.length - 6) / 3.5;
    // Chinese, Japanese, Korean; then other scripts; then digits, signs, and blanks.
    else if (code > 0x2e80) tokens += piece.length * 1.2;
    else tokens += code > 127 ? piece.length / 2.7 : 0.9;
  }
  return Math.ceil(tokens);
}

/** The text of a message. */
export const textOf = ({ content }: LanguageModelV4Prompt[number]): string =>
  typeof content === 'string'
    ? content
    : content.map((part) => (part.type === 'text' ? part.text : '')).join('');

export const countPrompt = (prompt: LanguageModelV4Prompt): number =>
  prompt.reduce((sum, message) => sum + countTokens(textOf(message)), 0);

const pieces = /[A-Za-z]+|\p{N}|[^\S\n]{2,}|\n+|[^\p{L}\p{N}\s]|[^\P{L}A-Za-z]+/gu;

/** What a reply has at this place, whatever it is. */
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );
const listAt = (value: unknown, key: string): unknown[] => {
  const list = at(value, key);
  return Array.isArray(list) ? list : [];
};
const count = (value: unknown): number | undefined =>
  typeof value === 'number' && value > 0 ? value : undefined;
