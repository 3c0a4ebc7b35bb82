/** Why a server didn't embed, and what may help: its status and its own words say so. */
import { errorIn, isOutOfCredit, providerMessage } from '../../platform/models/provider-error.ts';

/**
 * - `refused`: no text will succeed, because the key, the model, or the address is wrong.
 * - `too-much`: fewer or shorter texts may succeed.
 * - `broken`: the server failed; the same may succeed later, or one of the texts breaks it.
 * - `busy`: the same will succeed later.
 * - `silent`: no answer within the time limit.
 * - `unreachable`: no answer at all.
 */
export type FaultKind = 'refused' | 'too-much' | 'broken' | 'busy' | 'silent' | 'unreachable';

export class EmbedderFault extends Error {
  override readonly name = 'EmbedderFault';
  readonly kind: FaultKind;
  readonly status: number | undefined;
  /** The server's own sentence, which may quote the text. */
  readonly said: string | undefined;
  readonly retryAfterMs: number | undefined;
  /** The share of the text that fits, if the server gives both numbers. */
  readonly share: number | undefined;
  /** The text is too long. Otherwise, something in it may be the reason. */
  readonly isLength: boolean;

  constructor(
    kind: FaultKind,
    more: {
      status?: number;
      said?: string | undefined;
      retryAfterMs?: number | undefined;
      share?: number | undefined;
      isLength?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(more.status === undefined ? kind : `The response has status ${more.status}.`, {
      cause: more.cause,
    });
    this.kind = kind;
    this.status = more.status;
    this.said = more.said;
    this.retryAfterMs = more.retryAfterMs;
    this.share = more.share;
    this.isLength = more.isLength ?? false;
  }
}

/** Statuses of a request that is refused as it stands. */
const tooMuch = new Set([400, 413, 422, 424]);
const refused = new Set([401, 402, 403, 404, 405, 407, 410]);
const busy = new Set([408, 425, 429, 503]);
/** llama.cpp answers 500 to a text that never fits, and Ollama 400 or 500 to one that it can't embed. */
const lengthWords = /too (?:large|long|many)|exceed|context (?:length|size|window)|maximum length/i;
const textWords = /\bNaN\b|\bInf\b|unsupported value/i;

export function toFault(status: number, body: string, retryAfterMs?: number): EmbedderFault {
  const said = providerMessage(body);
  const { type, code, n_ctx: fits, n_prompt_tokens: asked } = errorIn(body) ?? {};
  const share =
    typeof fits === 'number' && typeof asked === 'number' && fits > 0 && asked > fits
      ? fits / asked
      : undefined;
  const isLength =
    share !== undefined ||
    status === 413 ||
    type === 'exceed_context_size_error' ||
    (said !== undefined && lengthWords.test(said));
  const kind = kindOf(status, said, isLength, code === 'model_not_found' || isOutOfCredit(body));
  return new EmbedderFault(kind, { status, said, retryAfterMs, share, isLength });
}

function kindOf(
  status: number,
  said: string | undefined,
  isLength: boolean,
  isRefused: boolean,
): FaultKind {
  // A redirect isn't followed, because a key must not go to another server.
  if (isRefused || refused.has(status) || status < 400) return 'refused';
  if (busy.has(status)) return 'busy';
  if (tooMuch.has(status) || isLength || (said !== undefined && textWords.test(said)))
    return 'too-much';
  return status >= 500 || status === 499 ? 'broken' : 'refused';
}
