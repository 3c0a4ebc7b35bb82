/** Thirty times a second is as much as reading words that grow can use. */
const shortestGapMs = 30;

/** Work that is asked for often, done in an animation frame, at most once each and not in all. */
export function createFrame(work: () => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
  };
  const flush = () => {
    cancel();
    last = performance.now();
    work();
  };
  const next = () => {
    if (performance.now() - last < shortestGapMs) frame = requestAnimationFrame(next);
    else flush();
  };
  return {
    request: (): void => {
      if (frame || timer) return;
      // A hidden tab has no frames, but its answer goes on.
      if (document.hidden) timer = setTimeout(flush, 250);
      else frame = requestAnimationFrame(next);
    },
    flush,
    cancel,
  };
}
