/** The agents' language models. They call tools, so they use the AI SDK's providers. */
import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import { ConfigError } from '../config/load.ts';
import type { ModelConfig, Price } from '../config/model-config.ts';
import type { Config } from '../config/schema.ts';
import { JobError } from '../errors.ts';
import { createOncePerKey } from '../lru.ts';
import { connectProvider } from './model.ts';

/** A model with everything that a run needs to know about it. */
export interface AgentModel {
  /** Its name in the configuration. */
  name: string;
  model: LanguageModelV4;
  /** `undefined` if the configuration has no price. */
  price: Price | undefined;
  /** The size of its context window in tokens. */
  contextTokens: number;
  /** The maximum output per step in tokens; `undefined` for the provider's default. */
  maxOutputTokens: number | undefined;
  providerOptions: SharedV4ProviderOptions;
}

export interface AgentModels {
  /** Connects on first use. Rejects with `model_not_configured` if there is no such model. */
  forName(name: string | null): Promise<AgentModel>;
}

/** The specification doesn't say. Hosted models have at least this much; local ones often have less. */
const contextTokens = { hosted: 128_000, own: 32_000 };

export function createAgentModels(
  config: Pick<Config, 'models'>,
  environment: Environment,
): AgentModels {
  // After a failure, the next job tries again: the owner may have installed the package in the meantime.
  const oncePerName = createOncePerKey<AgentModel>(100);

  async function connect(name: string): Promise<AgentModel> {
    const settings = Object.hasOwn(config.models, name) ? config.models[name] : undefined;
    if (settings === undefined) {
      throw new JobError(
        'model_not_configured',
        `The model "${name}" of this job is no longer among the configured ones.`,
      );
    }
    try {
      return {
        name,
        model: await connectProvider(name, settings, environment),
        price: settings.price,
        contextTokens: settings.contextTokens ?? usualContext(settings),
        maxOutputTokens: settings.maxOutputTokens,
        providerOptions: optionsFor(settings),
      };
    } catch (cause) {
      const words =
        cause instanceof ConfigError
          ? cause.mistakes.join(' ')
          : 'its provider could not be loaded';
      throw new JobError(
        'model_not_configured',
        `The model "${name}" cannot be used: ${words}.`.replace(/\.\.$/, '.'),
        { cause },
      );
    }
  }

  return {
    async forName(name) {
      if (name === null) {
        throw new JobError('model_not_configured', 'No language model is configured for this job.');
      }
      return oncePerName(name, () => connect(name));
    },
  };
}

function usualContext({ provider }: ModelConfig): number {
  return provider === 'openai-compatible' ? contextTokens.own : contextTokens.hosted;
}

/**
 * Tells OpenAI not to store the conversation, which it does by default, and Anthropic to cache the prompt,
 * because each step repeats the previous ones.
 */
function optionsFor({ provider }: ModelConfig): SharedV4ProviderOptions {
  if (provider === 'openai') return { openai: { store: false } };
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return {};
}
