/** In milliseconds and times; tests shorten them. */
export interface RemoteTimeouts {
  /** For one request. */
  timeoutMs: number;
  /** If the host wants a longer wait, the request fails. */
  maxWaitSeconds: number;
  /** A failed request is repeated after 1, 4, and 9 times this. */
  retryUnitMs: number;
}

export const defaultTimeouts: RemoteTimeouts = {
  timeoutMs: 30_000,
  maxWaitSeconds: 60,
  retryUnitMs: 1_000,
};
