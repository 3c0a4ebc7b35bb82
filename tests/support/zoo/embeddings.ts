/** The embedding half of the zoo: `/v1/embeddings`. */
import { embeddingsWire } from '../embeddings-wire.ts';
import { type Personality, sendJson, type ZooRoutes } from './start-zoo.ts';

export interface EmbeddingOptions {
  /** Names of what goes wrong; unknown ones are for the other half. */
  traps?: readonly string[];
}

export function createEmbeddings(_personality: Personality, _options: EmbeddingOptions = {}) {
  const routes: ZooRoutes = async ({ path, body, response }) => {
    if (path !== '/v1/embeddings') return false;
    sendJson(response, 200, embeddingsWire(body));
    return true;
  };
  return { routes };
}
