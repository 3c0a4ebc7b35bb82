/** What a worker does for the reader's half of the service: plain data in, plain data out. */
import type { Comparison } from './gaps/compare-answers.ts';

export const readerTasks = {
  /** Its code is loaded where it's needed: other tasks don't wait for it. */
  async compareAnswers(comparison: Comparison) {
    const { compareAnswers } = await import('./gaps/compare-answers.ts');
    return compareAnswers(comparison);
  },
};
