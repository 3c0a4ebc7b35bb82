/** Limits the open connections of one subject. Each process counts its own. */
import { DocentError } from '../errors.ts';

/** Connections end with their answer or job, so retrying at once is no use. */
const retrySeconds = 15;

/** Counts a connection until it closes, or rejects it. */
export type ConcurrencyLimit = (subject: string, connection: Connection) => void;

interface Connection {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export function createConcurrencyLimit(limit: number, message: string): ConcurrencyLimit {
  const open = new Map<string, number>();

  return (subject, connection) => {
    const count = open.get(subject) ?? 0;
    if (count >= limit) {
      throw new DocentError('rate_limited', message, { retryAfter: retrySeconds });
    }
    // It closed already, and emits no second `close`.
    if (connection.closed) return;
    open.set(subject, count + 1);
    connection.once('close', () => {
      const left = (open.get(subject) ?? 1) - 1;
      if (left > 0) open.set(subject, left);
      else open.delete(subject);
    });
  };
}
