/**
 * The work's result, or the signal's reason as soon as it's aborted. Work that doesn't listen to the signal
 * is left behind, and its failure is ignored.
 */
export async function untilAborted<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return work();
  signal.throwIfAborted();
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const leave = () => reject(signal.reason as Error);
  signal.addEventListener('abort', leave, { once: true });
  const working = work();
  try {
    return await Promise.race([working, cut]);
  } finally {
    signal.removeEventListener('abort', leave);
    working.catch(() => {});
  }
}
