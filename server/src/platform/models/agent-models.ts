/** The language models that agents work with: they call tools, so they take the AI SDK's providers. */
import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import { ConfigError } from '../config/load.ts';
import type { ModelConfig, Price } from '../config/model-config.ts';
import type { Config } from '../config/schema.ts';
import { JobError } from '../errors.ts';
import { connectProvider } from './connect.ts';

/** A model with all that a run needs to know of it. */
export interface AgentModel {
  /** Its name in the configuration. */
  name: string;
  model: LanguageModelV4;
  /** `undefined`: nothing is charged, as far as the configuration knows. */
  price: Price | undefined;
  /** How many tokens it takes in at once. */
  contextTokens: number;
  /** How many it may write in one step; `undefined`: as its provider has it. */
  maxOutputTokens: number | undefined;
  providerOptions: SharedV4ProviderOptions;
}

export interface AgentModels {
  /** Connects at its first use. Rejects with `model_not_configured` where there is no such model. */
  forName(name: string | null): Promise<AgentModel>;
}

/** Spec: not shown. Hosted models take in this much and more; a local one is often run with less. */
const contextTokens = { hosted: 128_000, own: 32_000 };

export function createAgentModels(
  config: Pick<Config, 'models'>,
  environment: Environment,
): AgentModels {
  const connected = new Map<string, Promise<AgentModel>>();

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
      const known = connected.get(name) ?? connect(name);
      connected.set(name, known);
      // What failed may have been mended by the next job: a package that is installed now.
      known.catch(() => connected.delete(name));
      return known;
    },
  };
}

function usualContext({ provider }: ModelConfig): number {
  return provider === 'openai-compatible' ? contextTokens.own : contextTokens.hosted;
}

/**
 * OpenAI keeps no copy of the conversation (it would, unless told not to). Anthropic reads the beginning
 * of a conversation from its cache, where each step repeats what the last one said.
 */
function optionsFor({ provider }: ModelConfig): SharedV4ProviderOptions {
  if (provider === 'openai') return { openai: { store: false } };
  if (provider === 'anthropic') return { anthropic: { cacheControl: { type: 'ephemeral' } } };
  return {};
}
