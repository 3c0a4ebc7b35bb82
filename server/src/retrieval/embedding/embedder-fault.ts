/** Why a server didn't embed, what may help, and what to tell the owner: its status and its own words say so. */
import { DocentError } from '../../platform/errors.ts';
import { errorIn, isOutOfCredit, providerMessage } from '../../platform/models/provider-error.ts';
import { redact } from '../../platform/redaction/redact.ts';

/**
 * - `refused`: no text will succeed, because the key, the model, or the address is wrong.
 * - `too-much`: fewer or shorter texts may succeed.
 * - `broken`: the server failed; the same may succeed later, or one of the texts breaks it.
 * - `busy`: the same will succeed later.
 * - `silent`: no answer within the time limit.
 * - `unreachable`: no answer at all.
 */
export type FaultKind = 'refused' | 'too-much' | 'broken' | 'busy' | 'silent' | 'unreachable';

interface Facts {
  status?: number;
  /** The server's own sentence, which may quote the text. */
  said?: string | undefined;
  retryAfterMs?: number | undefined;
  /** The text is too long. Otherwise, something in it may be the reason. */
  isLength?: boolean;
}

export class EmbedderFault extends Error {
  override readonly name = 'EmbedderFault';
  readonly kind: FaultKind;
  readonly facts: Facts;

  constructor(kind: FaultKind, facts: Facts = {}) {
    super(facts.status === undefined ? kind : `The response has status ${facts.status}.`);
    this.kind = kind;
    this.facts = facts;
  }
}

/** Statuses of a request that is refused as it stands. */
const tooMuch = new Set([400, 413, 422, 424]);
/** llama.cpp answers 501 if it was started for text. */
const refused = new Set([401, 402, 403, 404, 405, 407, 410, 501]);
const busy = new Set([408, 425, 429, 503]);
/** llama.cpp answers 500 to a text that never fits. */
const lengthWords = /too (?:large|long|many)|exceed|context (?:length|size|window)|maximum length/i;

export function toFault(status: number, body: string, retryAfterMs?: number): EmbedderFault {
  const said = providerMessage(body) ?? '';
  const { type, code } = errorIn(body) ?? {};
  const isLength = status === 413 || type === 'exceed_context_size_error' || lengthWords.test(said);
  const kind = (): FaultKind => {
    // A redirect isn't followed, because a key must not go to another server.
    if (status < 400 || refused.has(status) || code === 'model_not_found' || isOutOfCredit(body))
      return 'refused';
    if (busy.has(status)) return 'busy';
    if (tooMuch.has(status) || isLength) return 'too-much';
    return status >= 499 ? 'broken' : 'refused';
  };
  return new EmbedderFault(kind(), {
    status,
    said: said || undefined,
    retryAfterMs,
    isLength,
  });
}

/** A sentence for the owner, with the server's own words and what to change. */
export function describeFault(
  { kind, facts: { status, said } }: EmbedderFault,
  { model, origin }: { model: string; origin: string },
): DocentError {
  const words = said === undefined ? '' : `: ${redact(said).trim().replace(/[.!]$/, '')}`;
  const heard = status === undefined ? words : ` (status ${status})${words}`;
  const sentences: Record<FaultKind, string> = {
    refused: `refuses${heard}. ${adviceFor(status, model)}`,
    'too-much': `refuses every text${heard}. Check search.embedder.model.`,
    broken: `fails${heard}. Check its log.`,
    busy: `is still busy${heard}. Try again later; what was embedded is kept.`,
    silent: 'does not respond in time. Check its log; what was embedded is kept.',
    unreachable: `does not respond${heard}. Check that it runs, and search.embedder.baseUrl.`,
  };
  return new DocentError('unavailable', `The embeddings server at ${origin} ${sentences[kind]}`);
}

function adviceFor(status: number | undefined, model: string): string {
  if (status === 401 || status === 403)
    return 'Check the key that search.embedder.apiKeyEnv names.';
  if (status === 402 || status === 429) return 'Check the credit and the limits of your account.';
  return `Check search.embedder.baseUrl, and that the server has the model "${model}"; with Ollama, run \`ollama pull ${model}\`.`;
}
