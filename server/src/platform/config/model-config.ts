import { z } from 'zod';
import { count, matching, object, range, text, variable, webAddress, write } from './fields.ts';

export const dollars = z
  .number(write('US dollars for a million tokens, such as 0.25'))
  .nonnegative(write('US dollars for a million tokens, such as 0.25; 0 where it costs nothing'));

/** What the provider charges, for budgets in dollars. */
const Price = object('a price, such as { inputPerMillion: 0.25, outputPerMillion: 2 }', {
  inputPerMillion: dollars,
  outputPerMillion: dollars,
});
export type Price = z.infer<typeof Price>;

const seconds = (usual: number) => range('a number of seconds', 1, 600).default(usual);

/** Settings of every provider. */
const common = {
  model: text('the model’s id as its provider knows it, such as "gpt-5-mini"'),
  price: Price.optional(),
  /** The size of the model’s context window. An agent’s conversation is summarized before it exceeds it. */
  contextTokens: count("the size of the model's context in tokens, such as 128000").optional(),
  /** The maximum output of an agent’s step. The default is the provider’s. */
  maxOutputTokens: count(
    'the maximum number of tokens that the agent writes in one step',
  ).optional(),
  /** The longest answer for a reader. A longer one is cut, and says so. Some models count their reasoning too. */
  maxAnswerTokens: count('the maximum number of tokens of an answer, such as 2000').default(2_000),
  /** How long an answer waits for the model's first word. Reasoning models take long. */
  firstWordSeconds: seconds(60),
  /** How long an answer waits for each further word. */
  nextWordSeconds: seconds(30),
};

/** How to reach a language model. Its key is in the environment. */
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
    /** Any provider of the AI SDK: Google, Mistral, Bedrock, Azure, OpenRouter, and many more. */
    z.strictObject({
      provider: z.literal('ai-sdk'),
      package: matching(
        /^(@[a-z0-9._~-]+\/)?[a-z0-9._~-]+$/i,
        'the name of a package of the AI SDK, such as "@ai-sdk/google"',
      ),
      /** Where the package is installed. The default is the folder of the configuration file. */
      folder: z.string(write('the folder that the package is installed in')).default('.'),
      /** The function of the package that makes the provider, if it has several. */
      create: z
        .string(write('the name of a function of the package, such as "createGoogle"'))
        .optional(),
      /** Passed as `apiKey`. Without it, the package looks for its key itself. */
      apiKeyEnv: variable.optional(),
      /** Passed to that function as they are. */
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
