/** Loaded before a server: every five seconds it appends what the process uses to the file `DOCENT_MONITOR`. */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const file = process.env['DOCENT_MONITOR'] ?? '';
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => {
  const { rss, heapUsed } = process.memoryUsage();
  const sample = {
    at: Date.now(),
    rssMb: rss / 1e6,
    heapMb: heapUsed / 1e6,
    // The monitor's own interval is part of what it measures.
    p99Ms: Math.max(0, delay.percentile(99) / 1e6 - 10),
    maxMs: Math.max(0, delay.max / 1e6 - 10),
  };
  delay.reset();
  appendFileSync(file, `${JSON.stringify(sample)}\n`);
}, 5_000).unref();
