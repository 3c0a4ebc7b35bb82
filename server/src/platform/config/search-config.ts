import { z } from 'zod';
import { dollars } from './model-config.ts';
import { count, variable, webAddress, write } from './fields.ts';

/** A server of embeddings, which make questions find what is said in other words. */
const EmbedderConfig = z.strictObject(
  {
    baseUrl: webAddress('https://api.openai.com/v1'),
    model: z
      .string(write('the model’s id as its server knows it, such as "text-embedding-3-small"'))
      .min(1, write('the model’s id')),
    /** How many numbers a vector of this model has. */
    dimensions: count('how many numbers a vector of this model has, such as 1536').max(
      8192,
      write('a number up to 8192'),
    ),
    apiKeyEnv: variable.optional(),
    /** What questions cost that it makes vectors of; US dollars for a million tokens. */
    price: z
      .strictObject(
        { inputPerMillion: dollars },
        write('a price, such as { inputPerMillion: 0.02 }'),
      )
      .optional(),
  },
  write('an object with baseUrl, model and dimensions'),
);
export type EmbedderConfig = z.infer<typeof EmbedderConfig>;

/** Where pages are kept and found. */
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
        /** What the names of our indexes begin with, so that others can use the same server. */
        indexPrefix: z
          .string(write('letters, digits and "-", such as "docent"'))
          .regex(/^[A-Za-z0-9-]{1,40}$/, write('letters, digits and "-", such as "docent"'))
          .default('docent'),
        /** What answers while Meilisearch does not: an index in the data folder, kept beside it. */
        fallback: z.literal('embedded', write('"embedded", or leave it out')).optional(),
        embedder: EmbedderConfig.optional(),
      }),
    ],
    { error: 'has no known engine; write "embedded" or "meilisearch"' },
  )
  .prefault({ engine: 'embedded' });
export type SearchConfig = z.infer<typeof SearchConfig>;
