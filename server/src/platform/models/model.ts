import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import type { ModelConfig } from '../config/model-config.ts';
import type { Config } from '../config/schema.ts';
import type { SiteConfig } from '../config/site-config.ts';
import { createChatCompletionsModel } from './chat-completions.ts';
import { createModelServer, type ModelServer } from './model-server.ts';

export type ModelEvent =
  | { type: 'text'; text: string }
  /** What the model thinks before it answers, which is for nobody to read: it shows that the model lives. */
  | { type: 'reasoning'; text: string }
  | ({ type: 'finish'; reason: string } & Usage);

/** As the model counted; undefined: it didn't. */
interface Usage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

export interface ModelCall extends LanguageModelV4CallOptions {
  /** What the built-in model answers from, so that it needn't parse the prompt. */
  quotable?: {
    question: string;
    passages: { number: string; title: string; markdown: string }[];
    ahead: { passages: number; isMeant: boolean; isWhole: boolean } | undefined;
  };
}

/**
 * A language model that only writes text. It takes less CPU time per token than the AI SDK's interface,
 * whose web streams cost more than the rest of an answer.
 */
export interface TextModel {
  /** For the log, as in the AI SDK's models. */
  provider: string;
  modelId: string;
  /** Ends with one `finish`, or rejects. The model stops when the reader leaves or `signal` fires. */
  read(call: ModelCall, signal: AbortSignal | undefined): AsyncIterable<ModelEvent>;
}

/** A model from an AI SDK provider, or one that only writes text. */
export type Model = LanguageModelV4 | TextModel;

/** How long a model may be silent. */
export interface ModelTimeouts {
  firstWordMs: number;
  nextWordMs: number;
}

/** A model with its name in the configuration; the built-in one has none. */
export interface NamedModel {
  name: string | undefined;
  model: Model;
  /** Of an answer. */
  maxTokens: number;
  /** Of the prompt and the answer together; undefined: unknown. */
  contextTokens?: number | undefined;
  timeouts: ModelTimeouts;
  /** What answers behind an OpenAI-compatible address. */
  server?: ModelServer | undefined;
}

export interface Models {
  /** The site's model, then its fallback. Without a model, it's the built-in one, which quotes the documentation. */
  forSite(site: Pick<SiteConfig, 'model' | 'fallback'>): readonly [NamedModel, ...NamedModel[]];
  /** Undefined: the configuration has none of this name. */
  named(name: string): NamedModel | undefined;
  /** What answers behind a model. */
  serverOf(name: string): ModelServer | undefined;
}

/**
 * Connects all models, so that mistakes show at start: a site that's added later may name any. Sites without a
 * model get `builtIn`.
 */
export async function createModels(
  config: Pick<Config, 'models'>,
  environment: Environment,
  builtIn: Model,
): Promise<Models> {
  const open = async (name: string, settings: ModelConfig): Promise<NamedModel> => {
    const { firstWordSeconds, nextWordSeconds, maxAnswerTokens: maxTokens } = settings;
    const { contextTokens } = settings;
    const timeouts = { firstWordMs: firstWordSeconds * 1000, nextWordMs: nextWordSeconds * 1000 };
    const model = await connect(name, settings, environment);
    const server =
      settings.provider === 'openai-compatible'
        ? createModelServer({ ...settings, ...keyOf(settings, environment) })
        : undefined;
    return { name, model, maxTokens, contextTokens, timeouts, server };
  };
  const opened = Object.entries(config.models).map(
    async ([name, settings]) => [name, await open(name, settings)] as const,
  );
  const byName = new Map(await Promise.all(opened));
  const quotes: NamedModel = {
    name: undefined,
    model: builtIn,
    maxTokens: 0,
    timeouts: { firstWordMs: 60_000, nextWordMs: 30_000 },
  };
  return {
    forSite({ model, fallback }) {
      const first = (model === undefined ? undefined : byName.get(model)) ?? quotes;
      const second = fallback === undefined ? undefined : byName.get(fallback);
      return second ? [first, second] : [first];
    },
    serverOf: (name) => byName.get(name)?.server,
    named: (name) => byName.get(name),
  };
}

/** Whether answers are quotations without a language model. */
export function isExtractive(model: Model): boolean {
  return model.provider === 'docent';
}

/** Uses our own client for OpenAI-compatible servers, because it needs less CPU time. */
async function connect(
  name: string,
  settings: ModelConfig,
  environment: Environment,
): Promise<Model> {
  if (settings.provider !== 'openai-compatible') {
    return connectProvider(name, settings, environment);
  }
  const { baseUrl, model } = settings;
  return createChatCompletionsModel({ name, baseUrl, model, ...keyOf(settings, environment) });
}

/**
 * Connects a configured model with its AI SDK provider. Imports only that provider, because each takes a
 * tenth of a second to load.
 */
export async function connectProvider(
  name: string,
  settings: ModelConfig,
  environment: Environment,
): Promise<LanguageModelV4> {
  const key = keyOf(settings, environment);
  switch (settings.provider) {
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const provider = { name, baseURL: settings.baseUrl, includeUsage: true, ...key };
      return createOpenAICompatible(provider)(settings.model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(key)(settings.model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(key)(settings.model);
    }
    case 'ai-sdk': {
      const { loadModel } = await import('./ai-sdk-package.ts');
      return loadModel(name, settings, key);
    }
  }
}

function keyOf(settings: ModelConfig, environment: Environment): { apiKey?: string } {
  const variable = settings.apiKeyEnv;
  const apiKey = variable === undefined ? undefined : environment.secret(variable);
  return apiKey === undefined ? {} : { apiKey };
}
