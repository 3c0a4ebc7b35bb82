/** On a fast machine. Readers don't notice shorter intervals. */
const minGapMs = 40;
/** On a slow machine. */
const maxGapMs = 160;
/** How many milliseconds the page gets for each one of drawing. */
const restPerWork = 12;

/** Draws at most once per animation frame, and less often on slow machines. */
export function createRenderScheduler(work: () => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let gapMs = minGapMs;
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
    if (performance.now() - last < gapMs / 2) {
      frame = requestAnimationFrame(next);
      return;
    }
    flush();
    const begun = last;
    // Runs after the browser has drawn, so layout and paint count.
    setTimeout(() => {
      const wanted = (performance.now() - begun) * restPerWork;
      // Move halfway, so that one slow drawing changes little.
      gapMs = Math.min(maxGapMs, Math.max(minGapMs, (gapMs + wanted) / 2));
    });
  };
  return {
    request: (): void => {
      if (frame || timer) return;
      // A hidden tab gets no frames, but its answer continues.
      if (document.hidden) timer = setTimeout(flush, 250);
      else frame = requestAnimationFrame(next);
    },
    flush,
    cancel,
  };
}
