/**
 * Watches how long this process answers nobody. Whatever holds the event loop is a fault of ours: foreign
 * documents are read in worker threads, and long work is done in slices.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Logger } from '../log.ts';

/** A pause that people notice, and that the log names. */
const noticeMs = 200;
const intervalMs = 100;
const resolutionMs = 10;
/** In one line of the log. */
const maxNamed = 5;

/** What is being worked on, by a name that contains nothing of its content. */
const active = new Map<symbol, () => string>();
/** What ended since the last look, which may be what held it. */
let justEnded: (() => string)[] = [];
/** Commands don't watch, and would keep the names forever. */
let watchers = 0;

/** Begins a request or a task. Its name is asked for when it matters. Call the result when it has ended. */
export function beginWork(nameOf: () => string): () => void {
  const id = Symbol('work');
  active.set(id, nameOf);
  return () => {
    if (active.delete(id) && watchers > 0) justEnded.push(nameOf);
  };
}

export async function during<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const end = beginWork(() => name);
  try {
    return await work();
  } finally {
    end();
  }
}

export type EventLoop = ReturnType<typeof watchEventLoop>;

export function watchEventLoop(log: Pick<Logger, 'warn'>) {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs });
  delays.enable();
  watchers += 1;
  let last = performance.now();
  let mostMs = 0;
  const look = () => {
    const now = performance.now();
    const heldMs = Math.round(now - last - intervalMs);
    last = now;
    mostMs = Math.max(mostMs, heldMs);
    if (heldMs > noticeMs) {
      const names = [...new Set([...justEnded, ...active.values()].map((nameOf) => nameOf()))];
      const work = names.slice(0, maxNamed);
      log.warn({ heldMs, work, more: names.length - work.length }, 'the event loop was held');
    }
    justEnded = [];
  };
  const timer = setInterval(look, intervalMs).unref();
  const ms = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, Math.round(nanoseconds / 1e6) - resolutionMs) : 0;
  return {
    /** Since the process started. */
    delays: () => ({ p99Ms: ms(delays.percentile(99)), maxMs: Math.max(mostMs, ms(delays.max)) }),
    close(): void {
      clearInterval(timer);
      watchers -= 1;
      justEnded = [];
      delays.disable();
    },
  };
}
