/**
 * The callers of the streams bench, a process of their own: `callers.ts <json>` with
 * `{ url, headers, body, count, spreadMs }` begins `count` answers spread over `spreadMs`, reads each
 * to its end and prints one line of JSON.
 */
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Calls {
  url: string;
  headers: Record<string, string>;
  body: string;
  count: number;
  spreadMs: number;
}

export interface Called {
  /** Milliseconds to the first byte of text, one for each answer that came whole. */
  firstMs: number[];
  failed: number;
  wallMs: number;
  /** The first thing that went wrong. */
  fault: string | undefined;
}

const { url, headers, body, count, spreadMs } = JSON.parse(process.argv[2] ?? '') as Calls;
const agent = new Agent({ keepAlive: true });
const first = Buffer.from('Kestrel');
const last = Buffer.from('"finish"');
const lastOfModel = Buffer.from('[DONE]');

function call(): Promise<number> {
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
    request.end(body);
  });
}

const begun = performance.now();
const calls: Promise<number>[] = [];
for (let n = 0; n < count; n++) {
  const due = begun + (n * spreadMs) / count;
  const wait = due - performance.now();
  if (wait > 1) await pause(wait);
  const one = call();
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
