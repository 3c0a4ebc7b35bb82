/** Streams the log of a job to one connection, as fast as the client reads. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { promises } from '@docent/shared/promises';

/** A client that reads nothing for this long is disconnected. */
const stalledMs = 120_000;

interface Wire {
  headers: Record<string, string>;
  /** Clients skip it; it shows proxies that the stream is alive. */
  heartbeat: string;
  /** One event; empty if this format has none for it. */
  encode: (entry: AgentLogEntry) => string | Promise<string>;
  /** Tests shorten it. */
  heartbeatMs?: number;
}

/** Server-sent events: `id` is what `Last-Event-ID` says after a break. */
export async function streamLog(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
  encode: Wire['encode'] = (entry) => `event: ${entry.type}\ndata: ${JSON.stringify(entry)}`,
): Promise<void> {
  await writeEntries(response, entries, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store, no-transform',
      // Otherwise nginx buffers events.
      'X-Accel-Buffering': 'no',
    },
    heartbeat: ': keep-alive\n\n',
    encode: async (entry) => `id: ${entry.seq}\n${await encode(entry)}\n\n`,
  });
  if (response.writable) response.end();
}

/** Resolves when there are no more events or the connection is closed. */
export async function writeEntries(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
  { headers, heartbeat, encode, heartbeatMs = promises.heartbeatMs }: Wire,
): Promise<void> {
  // A client that reads nothing must not keep its connection.
  response.setTimeout(stalledMs, () => response.destroy());
  response.writeHead(200, headers);
  response.flushHeaders();
  const beat = setInterval(() => {
    if (!response.writableNeedDrain) response.write(heartbeat);
  }, heartbeatMs);
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  try {
    for await (const entry of entries) {
      if (closed.signal.aborted || !response.writable) return;
      const text = await encode(entry);
      // Wait for a slow client; the job itself continues.
      if (text !== '' && !response.write(text)) {
        await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
      }
    }
  } finally {
    clearInterval(beat);
  }
}
