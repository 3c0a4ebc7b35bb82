/** Streams the log of a job to one connection, as fast as the client reads. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AgentLogEntry } from '@docent/shared/agent-events';
import {
  beginStream,
  type BeginStreamOptions,
  eventStreamHeaders,
  keepAlive,
} from '../../platform/http/stream.ts';

interface Wire extends BeginStreamOptions {
  /** One event; empty if this format has none for it. */
  encode: (entry: AgentLogEntry) => string;
}

/** Server-sent events: `id` is what `Last-Event-ID` says after a break. */
export async function streamLog(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
): Promise<void> {
  await writeEntries(response, entries, {
    headers: { ...eventStreamHeaders, 'Cache-Control': 'no-store, no-transform' },
    heartbeat: keepAlive,
    encode: (entry) => `id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`,
  });
  if (response.writable) response.end();
}

/** Resolves when there are no more events or the connection is closed. */
export async function writeEntries(
  response: ServerResponse,
  entries: AsyncIterable<AgentLogEntry>,
  { encode, ...options }: Wire,
): Promise<void> {
  beginStream(response, options);
  response.flushHeaders();
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  for await (const entry of entries) {
    if (closed.signal.aborted || !response.writable) return;
    const text = encode(entry);
    // Wait for a slow client; the job itself continues.
    if (text !== '' && !response.write(text)) {
      await once(response, 'drain', { signal: closed.signal }).catch(() => undefined);
    }
  }
}
