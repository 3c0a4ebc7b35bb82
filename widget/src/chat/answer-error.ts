import { readText } from './limits.ts';

/** What kept an answer from coming, as far as this side can tell. problems.ts turns it into words. */
export type FailureReason =
  /** The service, or something before it, answered with an error. */
  | 'refused'
  /** Nothing answered: no service there, or something in the browser is in the way. */
  | 'unreachable'
  /** It had begun, and its connection could not be made again. */
  | 'lost'
  /** It had begun, and the service does not have it any more. */
  | 'gone'
  /** More came than any answer has. */
  | 'endless'
  /** What came is no part of an answer. */
  | 'unreadable'
  /** The service gave up on it, and says why. */
  | 'failed'
  | 'timeout';

export interface Refusal {
  status: number;
  /** Seconds, of the header: what stands before a service may write no body of ours. */
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

/** Seconds, or a date of HTTP. */
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
