import { z } from 'zod';
import { dollars } from './model-config.ts';
import { count, matching, object, text, variable, webAddress, write } from './fields.ts';

const prefix = z
  .string(write('the text in front of it, such as "query: ", or "" for none'))
  .max(1000, write('at most 1000 characters'));

/** A server of embeddings, so that questions also find pages that use other words. */
const EmbedderConfig = object('an object with baseUrl, model and dimensions', {
  baseUrl: webAddress('https://api.openai.com/v1'),
  model: text('the model’s id as its server knows it, such as "text-embedding-3-small"'),
  dimensions: count("the number of dimensions of the model's vectors, such as 1536").max(
    8192,
    write('a number up to 8192'),
  ),
  apiKeyEnv: variable.optional(),
  /** What the model wants in front of a question and of a passage; by default, known from its name. */
  queryPrefix: prefix.optional(),
  passagePrefix: prefix.optional(),
  /** In US dollars for a million tokens. */
  price: object('a price, such as { inputPerMillion: 0.02 }', {
    inputPerMillion: dollars,
  }).optional(),
});
export type EmbedderConfig = z.infer<typeof EmbedderConfig>;

/** The search engine. */
export const SearchConfig = z
  .discriminatedUnion(
    'engine',
    [
      z.strictObject({
        engine: z.literal('embedded'),
        embedder: EmbedderConfig.optional(),
      }),
      z.strictObject({
        engine: z.literal('meilisearch'),
        url: webAddress('http://127.0.0.1:7700'),
        apiKeyEnv: variable.optional(),
        /** The prefix of our indexes' names, so that others can use the same server. */
        indexPrefix: matching(
          /^[A-Za-z0-9-]{1,40}$/,
          'letters, digits and "-", such as "docent"',
        ).default('docent'),
        /** An index in the data folder that answers while Meilisearch doesn't. */
        fallback: z.literal('embedded', write('"embedded", or leave it out')).optional(),
        embedder: EmbedderConfig.optional(),
      }),
    ],
    { error: 'has no known engine; write "embedded" or "meilisearch"' },
  )
  .prefault({ engine: 'embedded' });
export type SearchConfig = z.infer<typeof SearchConfig>;
