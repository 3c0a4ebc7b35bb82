import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import type { ModelConfig } from '../config/model-config.ts';
import type { Config } from '../config/schema.ts';
import type { TextModel } from './text-model.ts';

/** A model of the AI SDK's providers, or one that only writes text. */
export type Model = LanguageModelV4 | TextModel;

export interface Models {
  /** The model that a site names; the built-in one, which quotes the documentation, where it names none. */
  forSite(name: string | undefined): Model;
}

/** `builtIn` answers where a site names no model. */
export async function createModels(
  config: Pick<Config, 'models'>,
  environment: Environment,
  builtIn: Model,
): Promise<Models> {
  const named = Object.entries(config.models).map(
    async ([name, settings]) => [name, await connect(name, settings, environment)] as const,
  );
  const byName = new Map(await Promise.all(named));
  return {
    forSite: (name) => (name === undefined ? builtIn : (byName.get(name) ?? builtIn)),
  };
}

/** Whether answers are quotations, made without a language model. */
export function isExtractive(model: Model): boolean {
  return model.provider === 'docent';
}

/** Loads only the provider that is asked for: each takes a tenth of a second to start. */
async function connect(
  name: string,
  settings: ModelConfig,
  environment: Environment,
): Promise<Model> {
  const apiKey =
    settings.apiKeyEnv === undefined ? undefined : environment.secret(settings.apiKeyEnv);
  const key = apiKey === undefined ? {} : { apiKey };
  switch (settings.provider) {
    case 'openai-compatible': {
      const { createChatCompletionsModel } = await import('./chat-completions.ts');
      const { baseUrl, model } = settings;
      return createChatCompletionsModel({ name, baseUrl, model, ...key });
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI(key)(settings.model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic(key)(settings.model);
    }
  }
}
