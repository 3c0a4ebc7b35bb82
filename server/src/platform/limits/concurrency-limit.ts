/**
 * How many connections one subject may hold open at the same moment. Each process counts its own: a
 * connection lives and dies with its process.
 */
import { DocentError } from '../errors.ts';

/** Connections end when their answer or job does, so it is no use to come back at once. */
const retrySeconds = 15;

/** Counts a connection until it is closed, or refuses it. */
export type ConcurrencyLimit = (subject: string, connection: Connection) => void;

interface Connection {
  readonly closed: boolean;
  once(event: 'close', listener: () => void): unknown;
}

export function createConcurrencyLimit(limit: number, message: string): ConcurrencyLimit {
  const held = new Map<string, number>();

  return (subject, connection) => {
    const count = held.get(subject) ?? 0;
    if (count >= limit) {
      throw new DocentError('rate_limited', message, { retryAfter: retrySeconds });
    }
    // Gone already: its `close` will not come again.
    if (connection.closed) return;
    held.set(subject, count + 1);
    connection.once('close', () => {
      const left = (held.get(subject) ?? 1) - 1;
      if (left > 0) held.set(subject, left);
      else held.delete(subject);
    });
  };
}
