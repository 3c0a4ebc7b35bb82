/**
 * The callers of the streams bench, a process of their own. It reads `Calls` as JSON from standard input,
 * asks each question once, at random times within `spreadMs` as independent readers do, reads each answer
 * to its end, and prints one line of JSON.
 */
import { Agent, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { toBody } from '../../support/ask.ts';
import { createRandom } from '../../support/random.ts';

export interface Calls {
  url: string;
  headers: Record<string, string>;
  questions: string[];
  spreadMs: number;
  /** Stands in an answer where its text begins. */
  first: string;
  /** So many at a time, without a pause, instead. */
  concurrency?: number;
}

export interface Called {
  /** Milliseconds to the first byte of text, one for each answer that came whole. */
  firstMs: number[];
  failed: number;
  wallMs: number;
  /** The first thing that went wrong. */
  fault: string | undefined;
}

const { url, headers, questions, spreadMs, concurrency, ...given } = JSON.parse(
  await text(process.stdin),
) as Calls;
const agent = new Agent({ keepAlive: true });
const first = Buffer.from(given.first);
const last = Buffer.from('"finish"');
const lastOfModel = Buffer.from('[DONE]');

function call(question: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    let ms = NaN;
    let tail: Buffer = Buffer.alloc(0);
    let size = 0;
    const request = httpRequest(url, { method: 'POST', agent, headers }, (response) => {
      response.on('data', (piece: Buffer) => {
        if (Number.isNaN(ms) && Buffer.concat([tail, piece]).includes(first)) {
          ms = performance.now() - begun;
        }
        tail =
          piece.length >= 400 ? piece.subarray(-400) : Buffer.concat([tail, piece]).subarray(-400);
        size += piece.length;
      });
      response.once('end', () => {
        const isWhole = tail.includes(last) || tail.includes(lastOfModel);
        if (isWhole && !Number.isNaN(ms)) resolve(ms);
        else reject(new Error(`${response.statusCode}, ${size} bytes: ${tail.toString()}`));
      });
      response.once('error', reject);
    });
    request.once('error', reject);
    request.end(JSON.stringify(toBody(question)));
  });
}

const { below } = createRandom(7);
const due = questions.map(() => below(spreadMs)).toSorted((a, b) => a - b);
const begun = performance.now();
const calls: Promise<number>[] = [];
const open = new Set<Promise<unknown>>();
for (const [index, question] of questions.entries()) {
  if (concurrency !== undefined) {
    if (open.size >= concurrency) await Promise.race(open);
    const one = call(question);
    const settled = one.catch(() => undefined).finally(() => open.delete(settled));
    open.add(settled);
    calls.push(one);
    continue;
  }
  const wait = begun + (due[index] ?? 0) - performance.now();
  if (wait > 1) await pause(wait);
  const one = call(question);
  one.catch(() => undefined);
  calls.push(one);
}
const settled = await Promise.allSettled(calls);
const fault = settled.find((each) => each.status === 'rejected');
const called: Called = {
  firstMs: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
  failed: settled.filter((each) => each.status === 'rejected').length,
  wallMs: performance.now() - begun,
  fault: fault && String(fault.reason),
};
console.log(JSON.stringify(called));
agent.destroy();
