/** A fault as a sentence for the owner, with the server's own words and what to change. */
import { DocentError } from '../../platform/errors.ts';
import { redact } from '../../platform/redaction/redact.ts';
import type { EmbedderFault } from './embedder-fault.ts';
import type { EmbeddingsServer } from './embeddings-server.ts';

export function describeFault(
  { kind, status, said }: EmbedderFault,
  { model, origin }: Pick<EmbeddingsServer, 'model' | 'origin'>,
): DocentError {
  const words = said === undefined ? '' : `: ${redact(said).trim().replace(/[.!]$/, '')}`;
  const heard = status === undefined ? words : ` (status ${status})${words}`;
  const sentences: Record<EmbedderFault['kind'], string> = {
    refused: `The embeddings server at ${origin} refuses${heard}. ${adviceFor(status, model)}`,
    'too-much': `The embeddings server at ${origin} refuses every text${heard}. Check search.embedder.model.`,
    broken: `The embeddings server at ${origin} fails${heard}. Check its log.`,
    busy: `The embeddings server at ${origin} is still busy${heard}. Try again later; what was embedded is kept.`,
    silent: `The embeddings server at ${origin} does not respond in time. Check its log; what was embedded is kept.`,
    unreachable: `The embeddings server at ${origin} does not respond${heard}. Check that it runs, and search.embedder.baseUrl.`,
  };
  return new DocentError('unavailable', sentences[kind]);
}

function adviceFor(status: number | undefined, model: string): string {
  if (status === 401 || status === 403)
    return 'Check the key that search.embedder.apiKeyEnv names.';
  if (status === 402 || status === 429) return 'Check the credit and the limits of your account.';
  return `Check search.embedder.baseUrl, and that the server has the model "${model}"; with Ollama, run \`ollama pull ${model}\`.`;
}
