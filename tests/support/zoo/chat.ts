/** The chat half of the zoo: `/v1/chat/completions`, and what Docent asks about the model. */
import type { Personality, ZooRoutes } from './wire.ts';

export interface ChatOptions {
  /** Names of what goes wrong; unknown ones are for the other half. */
  traps?: readonly string[];
}

export function createChat(_personality: Personality, _options: ChatOptions = {}) {
  const routes: ZooRoutes = async () => false;
  return { routes };
}
