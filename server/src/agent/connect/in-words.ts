import { DocentError, JobError } from '../../platform/errors.ts';

/** What a host refuses, as an answer to a person, at the field that it's about. */
export async function inWords<T>(asked: Promise<T>, field?: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof JobError)) throw error;
    const message = error.message;
    if (['forge_unavailable', 'forge_rate_limited'].includes(error.code)) {
      throw new DocentError('unavailable', message, { cause: error });
    }
    const details = field === undefined ? {} : { details: [{ path: field, message }] };
    throw new DocentError('bad_request', message, details);
  }
}
