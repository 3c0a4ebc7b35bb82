import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import type { ModelConfig } from '../config/model-config.ts';
import type { Config } from '../config/schema.ts';
import { connectProvider, keyOf } from './connect.ts';
import type { TextModel } from './text-model.ts';

/** A model from an AI SDK provider, or one that only writes text. */
export type Model = LanguageModelV4 | TextModel;

export interface Models {
  /** The model that a site names, or the built-in one, which quotes the documentation. */
  forSite(name: string | undefined): Model;
}

/**
 * Connects the models that sites name, and those from packages that the owner installed, so that mistakes
 * show at start. Agents connect the others. Sites without a model get `builtIn`.
 */
export async function createModels(
  config: Pick<Config, 'models' | 'sites'>,
  environment: Environment,
  builtIn: Model,
): Promise<Models> {
  const wanted = new Set(config.sites.map(({ model }) => model));
  const named = Object.entries(config.models)
    .filter(([name, { provider }]) => wanted.has(name) || provider === 'ai-sdk')
    .map(async ([name, settings]) => [name, await connect(name, settings, environment)] as const);
  const byName = new Map(await Promise.all(named));
  return {
    forSite: (name) => (name === undefined ? builtIn : (byName.get(name) ?? builtIn)),
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
  const { createChatCompletionsModel } = await import('./chat-completions.ts');
  const { baseUrl, model } = settings;
  return createChatCompletionsModel({ name, baseUrl, model, ...keyOf(settings, environment) });
}
