import type { ServerResponse } from 'node:http';

/** A client that takes no byte for this long is disconnected. */
export const stalledMs = 120_000;

/** Ends the connection of a client that stops reading, once everything is written. Streams watch before. */
export function endStalled(response: ServerResponse, timeoutMs = stalledMs): void {
  // Node.js takes the time limit back when the connection is free for the next request.
  response.once('prefinish', () => response.setTimeout(timeoutMs, () => response.destroy()));
}
