/** Work that is repeated: from time to time, and whenever somebody says that there is some. */
export interface LoopOptions {
  work: () => Promise<unknown>;
  /** Gets what `work` rejects with. The loop goes on. */
  onError: (error: unknown) => void;
  /** How often to work without being told; only when told if it's missing. */
  everyMs?: number;
}

export type Loop = ReturnType<typeof createLoop>;

/** Works at most once at a time. A call of `wake` during the work causes another round after it. */
export function createLoop({ work, onError, everyMs }: LoopOptions) {
  let isAsked = false;
  let isStopping = false;
  let working: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  /** Settles when nothing is left that was asked for. */
  function wake(): Promise<void> {
    isAsked = true;
    working ??= (async () => {
      while (isAsked && !isStopping) {
        isAsked = false;
        await work().catch(onError);
      }
    })().finally(() => (working = undefined));
    return working;
  }

  return {
    wake,
    /** Begins to work from time to time. The first time is after `everyMs`. */
    start(): void {
      timer ??= setInterval(() => void wake(), everyMs).unref();
    },
    /** Settles when the round in progress has ended. None follows. */
    async stop(): Promise<void> {
      isStopping = true;
      clearInterval(timer);
      await working;
    },
  };
}
