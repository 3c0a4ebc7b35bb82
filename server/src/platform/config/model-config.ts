import { z } from 'zod';
import { count, variable, webAddress, write } from './fields.ts';

const modelId = z
  .string(write('the model’s id as its provider knows it, such as "gpt-5-mini"'))
  .min(1, write('the model’s id'));

export const dollars = z
  .number(write('US dollars for a million tokens, such as 0.25'))
  .nonnegative(write('US dollars for a million tokens, such as 0.25; 0 where it costs nothing'));

/** What the provider charges; budgets in dollars are reckoned with it. */
const Price = z.strictObject(
  { inputPerMillion: dollars, outputPerMillion: dollars },
  write('a price, such as { inputPerMillion: 0.25, outputPerMillion: 2 }'),
);
export type Price = z.infer<typeof Price>;

/** Of every provider. */
const common = {
  model: modelId,
  price: Price.optional(),
  /** How much the model takes in at once. An agent’s conversation is summarised before it grows longer. */
  contextTokens: count('how many tokens the model takes in at once, such as 128000').optional(),
  /** How much the agent may write in one step; what the provider gives where it is left out. */
  maxOutputTokens: count('how many tokens the agent may write in one step').optional(),
};

const packageName = write('the name of a package of the AI SDK, such as "@ai-sdk/google"');

/** How to reach a language model. The key itself stands in the environment. */
export const ModelConfig = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({
      provider: z.literal('openai-compatible'),
      baseUrl: webAddress('http://127.0.0.1:11434/v1'),
      apiKeyEnv: variable.optional(),
      ...common,
    }),
    z.strictObject({
      provider: z.literal('openai'),
      apiKeyEnv: variable.default('OPENAI_API_KEY'),
      ...common,
    }),
    z.strictObject({
      provider: z.literal('anthropic'),
      apiKeyEnv: variable.default('ANTHROPIC_API_KEY'),
      ...common,
    }),
    /** Any provider of the AI SDK: Google, Mistral, Bedrock, Azure, OpenRouter and many more. */
    z.strictObject({
      provider: z.literal('ai-sdk'),
      package: z.string(packageName).regex(/^(@[a-z0-9._~-]+\/)?[a-z0-9._~-]+$/i, packageName),
      /** Where the package is installed; the folder of the configuration file where it is left out. */
      folder: z.string(write('the folder that the package is installed in')).default('.'),
      /** Which function of the package makes the provider; needed where it has several. */
      create: z
        .string(write('the name of a function of the package, such as "createGoogle"'))
        .optional(),
      /** Given as `apiKey`; where it is left out, the package looks for its key itself. */
      apiKeyEnv: variable.optional(),
      /** Handed to that function as they are. */
      options: z
        .record(z.string(), z.json(), write('an object of settings of the package'))
        .default({}),
      ...common,
    }),
  ],
  {
    error: 'has no known provider; write "openai-compatible", "openai", "anthropic" or "ai-sdk"',
  },
);
export type ModelConfig = z.infer<typeof ModelConfig>;
