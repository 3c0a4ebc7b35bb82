/** A fast machine draws this often: more is not seen in words that grow. */
const minGapMs = 40;
/** A slow one still this often. */
const maxGapMs = 160;
/** For each millisecond that a drawing takes, so many are left to the page. */
const restPerWork = 12;

/** Work that is asked for often, done in an animation frame, at most once each and not in all. */
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
    // Comes after the browser has drawn it, so that layout and paint are counted.
    setTimeout(() => {
      const wanted = (performance.now() - begun) * restPerWork;
      // Half of the way: one drawing that took long by chance changes little.
      gapMs = Math.min(maxGapMs, Math.max(minGapMs, (gapMs + wanted) / 2));
    });
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
