/** The log of a job on one connection, as fast as it is read. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import { promises } from '@docent/shared/promises';

/** Longer than any pause between two heartbeats that are read. */
const stalledMs = 120_000;

interface Wire {
  headers: Record<string, string>;
  /** Skipped by every reader; shows proxies that the stream is alive. */
  heartbeat: string;
  /** One event, or nothing where this wire has no word for it. */
  encode: (entry: AgentLogEntry) => string;
  /** How often the heartbeat comes; tests shorten it. */
  heartbeatMs?: number;
}

const serverSentEvents: Wire = {
  headers: {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-cache, no-transform',
    // nginx would hold events back.
    'X-Accel-Buffering': 'no',
  },
  heartbeat: ': keep-alive\n\n',
  encode: (entry) => `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`,
};

/** Server-sent events: `id` is what `Last-Event-ID` says after a break, `event` the type. */
export async function streamLog(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
): Promise<void> {
  await writeEntries(response, entries, serverSentEvents);
  if (response.writable) response.end();
}

/** Settles when there are no more events, or when the connection is closed. */
export async function writeEntries(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
  { headers, heartbeat, encode, heartbeatMs = promises.heartbeatMs }: Wire,
): Promise<void> {
  // Who takes nothing for so long is gone, and must not hold its place.
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
      const text = encode(entry);
      // Who reads slowly is waited for; the job itself goes on.
      if (text !== '' && !response.write(text)) {
        await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
      }
    }
  } finally {
    clearInterval(beat);
  }
}
