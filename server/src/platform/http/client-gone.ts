import type { Response } from 'express';

/** Aborts when the client closes the connection before the answer is complete. */
export function clientGone(response: Response): AbortSignal {
  const controller = new AbortController();
  // The client may have left while its body was read or its key was looked up.
  if (response.closed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}
