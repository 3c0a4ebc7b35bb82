import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Environment } from '../config/environment.ts';
import type { ModelConfig } from '../config/model-config.ts';

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

export function keyOf(settings: ModelConfig, environment: Environment): { apiKey?: string } {
  const variable = settings.apiKeyEnv;
  const apiKey = variable === undefined ? undefined : environment.secret(variable);
  return apiKey === undefined ? {} : { apiKey };
}
