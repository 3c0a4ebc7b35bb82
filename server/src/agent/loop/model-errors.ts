/** What is wrong when a provider fails: whether it is worth trying again, and how the job's failure is explained. */
import { AISDKError, APICallError, LoadAPIKeyError, NoSuchModelError } from '@ai-sdk/provider';
import { DocentError, JobError } from '../../platform/errors.ts';

/** The model's answer broke off without an end. */
export class AnswerCut extends Error {
  override readonly name = 'AnswerCut';
}

/** More was said than the model takes in at once. */
export function isTooLong(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== 400 && status !== 413 && status !== 422 && status !== undefined) return false;
  const body = APICallError.isInstance(error) ? (error.responseBody ?? '') : '';
  const words = `${error instanceof Error ? error.message : ''} ${body}`;
  return (
    status === 413 ||
    /context[ _-]?(?:length|window|size|limit)|maximum context|(?:prompt|input|request)[^.]{0,40}too (?:long|large)|too many (?:input |prompt )?tokens|exceeds?[^.]{0,60}(?:tokens|context)/i.test(
      words,
    )
  );
}

/** Waiting may help: the provider is busy, down, or the connection broke. */
export function isTransient(error: unknown): boolean {
  if (error instanceof JobError || error instanceof DocentError) return false;
  if (LoadAPIKeyError.isInstance(error) || NoSuchModelError.isInstance(error)) return false;
  const status = statusOf(error);
  if (status !== undefined && status >= 400) {
    return status === 408 || status === 409 || status === 429 || status >= 500;
  }
  if (APICallError.isInstance(error)) return true;
  const { isRetryable } = error as { isRetryable?: unknown };
  if (typeof isRetryable === 'boolean') return isRetryable;
  // Of the SDK's own: answers that could not be read. Of others: sockets that broke.
  return (
    !AISDKError.isInstance(error) ||
    /JSONParse|TypeValidation|InvalidResponse|NoOutput|EmptyResponse/.test(error.name)
  );
}

/** The failure of the job. The provider's own words may hold the key or the documentation: they are the cause, for the log. */
export function toJobError(error: unknown, model: string): JobError | DocentError {
  if (error instanceof JobError || error instanceof DocentError) return error;
  const status = statusOf(error);
  const failed = (code: ConstructorParameters<typeof JobError>[0], words: string) =>
    new JobError(code, words, { cause: error });
  if (LoadAPIKeyError.isInstance(error) || status === 401 || status === 403) {
    return failed('model_not_configured', `The provider of the model "${model}" refuses the key.`);
  }
  if (NoSuchModelError.isInstance(error) || status === 404) {
    return failed('model_not_configured', `The provider does not know the model "${model}".`);
  }
  if (status === 402) {
    return failed('model_unavailable', `The provider of the model "${model}" wants to be paid.`);
  }
  if (status === 429) {
    return failed('model_unavailable', `The provider of the model "${model}" has too much to do.`);
  }
  if (isTooLong(error)) {
    return failed(
      'model_failed',
      `The conversation is longer than the model "${model}" takes in; set "contextTokens" of the model to what it really is.`,
    );
  }
  if (status !== undefined && status >= 400 && status < 500) {
    return failed(
      'model_failed',
      `The provider of the model "${model}" refuses the request (${status}).`,
    );
  }
  if (status !== undefined && status >= 500) {
    return failed('model_unavailable', `The provider of the model "${model}" has a fault.`);
  }
  if (error instanceof AnswerCut) {
    return failed('model_failed', `The model "${model}" broke off its answer, time and again.`);
  }
  if (APICallError.isInstance(error) || !AISDKError.isInstance(error)) {
    return failed('model_unavailable', `The model "${model}" could not be reached.`);
  }
  return failed('model_failed', `The model "${model}" gave an answer that cannot be read.`);
}

function statusOf(error: unknown): number | undefined {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  // 200: it had begun to answer.
  return typeof statusCode === 'number' && statusCode >= 400 ? statusCode : undefined;
}
