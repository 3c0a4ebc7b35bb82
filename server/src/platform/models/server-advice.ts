/** What to tell an owner about the server of a model. */
import type { ModelServer, ServerKind } from './model-server.ts';

const settings: Record<ServerKind, string> = {
  Ollama: 'Start Ollama with OLLAMA_CONTEXT_LENGTH=16384',
  'llama.cpp': 'Start llama-server with --ctx-size 16384 (--parallel divides it)',
  vLLM: 'Start vLLM with --max-model-len 16384',
  'LM Studio': 'Load the model in LM Studio with a context length of 16384',
  LocalAI: 'Set context_size: 16384 in the model’s file of LocalAI',
};

/** How to give a model more context. */
export const contextAdvice = (kind: ServerKind | undefined, name: string): string =>
  kind === undefined
    ? `Set models.${name}.contextTokens to the context that the server really has.`
    : `${settings[kind]}, or set models.${name}.contextTokens to the context that it really has.`;

/** What happened to the last prompt, if the server dropped a part of it. */
export function droppedNotice(name: string, server: ModelServer | undefined): string | undefined {
  if (!server?.dropped) return undefined;
  const { countedTokens, sentTokens } = server.dropped;
  return `The server of the model "${name}" counted ${countedTokens} tokens of about ${sentTokens}, so it dropped a part of the prompt. ${contextAdvice(server.facts.kind, name)}`;
}
