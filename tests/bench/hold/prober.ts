/** A thread that asks a service whether it's alive every 20 ms, and looks at its memory. */
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { url, pid } = workerData as { url: string; pid: number };
const agent = new Agent({ keepAlive: true });

export interface Probed {
  slowestMs: number;
  /** Memory before, and the most that was in use. */
  fromMb: number;
  peakMb: number;
  isAlive: boolean;
}

const rssMb = () => {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return NaN;
  }
};
const fresh = (): Probed => ({ slowestMs: 0, fromMb: rssMb(), peakMb: rssMb(), isAlive: true });
let seen = fresh();
let isAsked = false;
parentPort?.on('message', () => (isAsked = true));

const isAlive = () =>
  new Promise<boolean>((resolve) => {
    get(`${url}/healthz`, { agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    }).once('error', () => resolve(false));
  });

for (;;) {
  const begun = performance.now();
  seen.isAlive = await isAlive();
  seen.slowestMs = Math.max(seen.slowestMs, performance.now() - begun);
  seen.peakMb = Math.max(seen.peakMb, rssMb());
  if (isAsked) {
    isAsked = false;
    parentPort?.postMessage(seen);
    seen = fresh();
  }
  await pause(20);
}
