import { readText } from './limits.ts';

/** The reason why there is no answer. */
export type FailureReason =
  /** The service, or a proxy in front of it, answered with an error. */
  | 'refused'
  /** The service is down, or something in the browser blocks it. */
  | 'unreachable'
  /** The answer had begun, and reconnecting failed. */
  | 'lost'
  /**
   * The service has nothing to resume (204): it no longer has the answer, or the question never
   * arrived.
   */
  | 'gone'
  | 'endless'
  | 'unreadable'
  /** The service sent an error part. */
  | 'failed'
  | 'timeout';

export interface Refusal {
  status: number;
  /** Seconds from the header, because a proxy's body isn't ours. */
  retryAfter: number | undefined;
}

export class AnswerError extends Error {
  readonly reason: FailureReason;
  readonly refusal: Refusal | undefined;

  constructor(reason: FailureReason, message: string = reason, refusal?: Refusal) {
    super(message);
    this.name = 'AnswerError';
    this.reason = reason;
    this.refusal = refusal;
  }
}

function toSeconds(header: string | null): number | undefined {
  if (!header) return undefined;
  const seconds = Number(header);
  const left = Number.isNaN(seconds) ? (Date.parse(header) - Date.now()) / 1000 : seconds;
  return left > 0 ? Math.ceil(left) : undefined;
}

export async function toRefused(response: Response): Promise<AnswerError> {
  const body = await readText(response).catch(() => '');
  const { status, headers } = response;
  return new AnswerError('refused', body, {
    status,
    retryAfter: toSeconds(headers.get('retry-after')),
  });
}
