import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import type { Config, ModelConfig } from '../config/schema.ts';

/** Every model, ours and the providers', speaks the AI SDK's provider interface. */
export type Model = LanguageModelV4;

export interface Models {
  /** The model that a site names; the built-in one, which quotes the documentation, where it names none. */
  forSite(name: string | undefined): Model;
}

/** `builtIn` answers where a site names no model. */
export function createModels(
  config: Pick<Config, 'models'>,
  environment: Environment,
  builtIn: Model,
): Models {
  const byName = new Map(
    Object.entries(config.models).map(([name, settings]) => [
      name,
      connect(name, settings, environment),
    ]),
  );
  return {
    forSite: (name) => (name === undefined ? builtIn : (byName.get(name) ?? builtIn)),
  };
}

/** Whether answers are quotations, made without a language model. */
export function isExtractive(model: Model): boolean {
  return model.provider === 'docent';
}

function connect(name: string, settings: ModelConfig, environment: Environment): Model {
  const apiKey =
    settings.apiKeyEnv === undefined ? undefined : environment.secret(settings.apiKeyEnv);
  switch (settings.provider) {
    case 'openai-compatible':
      return createOpenAICompatible({
        name,
        baseURL: settings.baseUrl,
        includeUsage: true,
        ...(apiKey !== undefined && { apiKey }),
      })(settings.model);
    case 'openai':
      return createOpenAI(apiKey === undefined ? {} : { apiKey })(settings.model);
    case 'anthropic':
      return createAnthropic(apiKey === undefined ? {} : { apiKey })(settings.model);
  }
}
