import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/** Answers, indexing, and jobs take more of the time than this; timers take less. */
const maxIdleUtilization = 0.05;

/**
 * Gives the memory of a busy time back while the process has nothing to do. By itself, V8 waits for a low
 * rate of allocation, which it measures only while it collects garbage, so an idle process keeps everything.
 * In its mode to save memory, it doesn't wait. An answer then costs a fifth more CPU time, so the mode ends
 * with the idle time.
 */
export function saveMemoryWhenIdle(everyMs = 1_000): void {
  let before = performance.eventLoopUtilization();
  let wasIdle = false;
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const isIdle = performance.eventLoopUtilization(now, before).utilization < maxIdleUtilization;
    before = now;
    if (isIdle === wasIdle) return;
    wasIdle = isIdle;
    setFlagsFromString(isIdle ? '--memory-saver-mode' : '--no-memory-saver-mode');
  }, everyMs).unref();
}
