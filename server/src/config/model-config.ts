import { z } from 'zod';
import { variable, webAddress, write } from './fields.ts';

const modelId = z
  .string(write('the model’s id as its provider knows it, such as "gpt-5-mini"'))
  .min(1, write('the model’s id'));

const dollars = z
  .number(write('US dollars for a million tokens, such as 0.25'))
  .nonnegative(write('US dollars for a million tokens, such as 0.25; 0 where it costs nothing'));

/** What the provider charges; budgets in dollars are reckoned with it. */
const Price = z.strictObject(
  { inputPerMillion: dollars, outputPerMillion: dollars },
  write('a price, such as { inputPerMillion: 0.25, outputPerMillion: 2 }'),
);
export type Price = z.infer<typeof Price>;

/** How to reach a language model. The key itself stands in the environment. */
export const ModelConfig = z.discriminatedUnion(
  'provider',
  [
    z.strictObject({
      provider: z.literal('openai-compatible'),
      baseUrl: webAddress('http://127.0.0.1:11434/v1'),
      model: modelId,
      apiKeyEnv: variable.optional(),
      price: Price.optional(),
    }),
    z.strictObject({
      provider: z.literal('openai'),
      model: modelId,
      apiKeyEnv: variable.default('OPENAI_API_KEY'),
      price: Price.optional(),
    }),
    z.strictObject({
      provider: z.literal('anthropic'),
      model: modelId,
      apiKeyEnv: variable.default('ANTHROPIC_API_KEY'),
      price: Price.optional(),
    }),
  ],
  { error: 'has no known provider; write "openai-compatible", "openai" or "anthropic"' },
);
export type ModelConfig = z.infer<typeof ModelConfig>;
