import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/** Answers, indexing, and jobs take more of the time than this; timers take less. */
const maxIdleUtilization = 0.05;
/** So many in a row, so that a short break between two questions changes nothing. */
const minIdleChecks = 10;

/**
 * Gives the memory of a busy time back while the process has nothing to do. By itself, V8 waits for a low
 * rate of allocation, which it measures only while it collects garbage, so an idle process keeps everything.
 * In its mode to save memory, it doesn't wait. An answer then costs a fifth more CPU time, so the mode ends
 * with the idle time.
 */
export function saveMemoryWhenIdle(everyMs = 1_000): void {
  let before = performance.eventLoopUtilization();
  let idleChecks = 0;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const wasSaving = idleChecks >= minIdleChecks;
    idleChecks = utilization < maxIdleUtilization ? idleChecks + 1 : 0;
    const isSaving = idleChecks >= minIdleChecks;
    if (isSaving === wasSaving) return;
    setFlagsFromString(isSaving ? '--memory-saver-mode' : '--no-memory-saver-mode');
  }, everyMs).unref();
}
