/** On a fast machine. Readers don't notice shorter intervals. */
const minGapMs = 40;
/** On a slow machine. */
const maxGapMs = 120;
/** How many milliseconds the page gets for each one of drawing. */
const restPerWork = 12;

/** Draws in animation frames, at most every `minGapMs`, and less often on slow machines. */
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
  const draw = () => {
    flush();
    const begun = last;
    // Runs after the browser has drawn, so layout and paint count.
    setTimeout(() => {
      const wanted = (performance.now() - begun) * restPerWork;
      // Move halfway, so that one slow drawing changes little.
      gapMs = Math.min(maxGapMs, Math.max(minGapMs, (gapMs + wanted) / 2));
    });
  };
  const drawInFrame = () => {
    frame = requestAnimationFrame(draw);
  };
  return {
    request: (): void => {
      if (frame || timer) return;
      // A hidden tab gets no frames, but its answer continues.
      if (document.hidden) timer = setTimeout(flush, 250);
      // A frame that draws nothing costs the page almost as much as one that does.
      else timer = setTimeout(drawInFrame, last + gapMs - performance.now());
    },
    flush,
    cancel,
  };
}
