/** Work that is asked for often and done at most once per animation frame. */
export function createFrame(work: () => void) {
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = 0;
    timer = undefined;
  };
  const flush = () => {
    cancel();
    work();
  };
  return {
    request: (): void => {
      if (frame || timer) return;
      // A hidden tab has no frames, but its answer goes on.
      if (document.hidden) timer = setTimeout(flush, 250);
      else frame = requestAnimationFrame(flush);
    },
    flush,
    cancel,
  };
}
