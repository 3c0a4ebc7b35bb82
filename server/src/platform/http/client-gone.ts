import type { Response } from 'express';

/** Fires when the client closes the connection before the answer is whole. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  // Gone already while its body was read and its key looked up.
  if (response.closed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
