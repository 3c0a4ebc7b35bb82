/** What every answer that comes piece by piece needs of its connection. */
import type { ServerResponse } from 'node:http';
import { promises } from '@docent/shared/promises';

export const stalledMs = 120_000;

/** Of server-sent events. */
export const eventStreamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  // Without it, nginx buffers the whole answer.
  'X-Accel-Buffering': 'no',
};

/** A comment line, which every parser of server-sent events skips. */
export const keepAlive = ': keep-alive\n\n';

/** A server-sent event without a name. */
export const toEvent = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;

/** Of the data stream of chat SDK 4: lines of a code, a colon, and JSON. */
export const dataStreamHeaders = {
  ...eventStreamHeaders,
  'Content-Type': 'text/plain; charset=utf-8',
  'x-vercel-ai-data-stream': 'v1',
};

/** The only line of a data stream that every release of chat SDK 4 skips. */
export const dataStreamHeartbeat = '\n';

export const dataStreamLine = (code: string, value: unknown): string =>
  `${code}:${JSON.stringify(value)}\n`;

/** A line that stays on the message and comes back with it. Every release knows it. */
export const dataStreamAnnotation = (value: object): string => dataStreamLine('8', [value]);

export interface BeginStreamOptions {
  headers: Record<string, string>;
  /** Every client of this format skips it. It shows proxies that the stream is alive. */
  heartbeat: string;
  /** Tests shorten these. */
  heartbeatMs?: number | undefined;
  timeoutMs?: number | undefined;
}

/** Sends the headers with the first write, then heartbeats until the connection is closed. Cuts off a client that doesn't read. */
export function beginStream(
  response: ServerResponse,
  {
    headers,
    heartbeat,
    heartbeatMs = promises.heartbeatMs,
    timeoutMs = stalledMs,
  }: BeginStreamOptions,
): void {
  response.setTimeout(timeoutMs, () => response.destroy());
  response.writeHead(200, headers);
  // The client has already left, so `close` won't fire again.
  if (response.closed) return;
  const timer = setInterval(() => {
    // A slow client has enough to read.
    const isOver = response.destroyed || response.writableEnded;
    if (!isOver && !response.writableNeedDrain) response.write(heartbeat);
  }, heartbeatMs);
  response.once('close', () => clearInterval(timer));
}
