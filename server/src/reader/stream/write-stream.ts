/** Sends an answer to one connection, as fast as it is read. */
import type { ServerResponse } from 'node:http';
import { promises } from '@docent/shared/promises';
import type { AnswerPart } from '@docent/shared/stream';
import type { AnswerStream } from './answer-stream.ts';

/** What reading an answer takes. */
export type ReadableAnswer = Omit<
  AnswerStream,
  'kept' | 'wasDelivered' | 'beginGrace' | 'end' | 'done'
>;

/** How parts stand on the wire. */
export interface Protocol {
  headers: Record<string, string>;
  /** Skipped by every reader of this protocol; shows proxies that the stream is alive. */
  heartbeat: string;
  /** One part, or nothing where the protocol has no word for it. */
  encode(part: AnswerPart): string;
}

/** Characters put together into one write; a long answer that is read again does not become one string. */
const writeMax = 65_536;

/** A connection that takes no byte for this long while there are some for it is no reader: it is cut. */
export const stalledMs = 120_000;

/** Settles when the connection is closed, after the answer or before its end. */
export function writeStream(
  stream: ReadableAnswer,
  response: ServerResponse,
  protocol: Protocol,
  from = 0,
  timeoutMs = stalledMs,
): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const reader = { position: from, wake: write };
  let isFull = false;
  let isOver = false;

  function write(): void {
    if (isFull || isOver) return;
    while (reader.position < stream.next) {
      let text = '';
      while (reader.position < stream.next && text.length < writeMax) {
        text += protocol.encode(stream.part(reader.position));
        reader.position += 1;
      }
      // Who reads slowly is waited for; the answer itself goes on.
      if (text !== '' && !response.write(text)) {
        isFull = true;
        break;
      }
    }
    stream.moved();
    if (isFull || !stream.isEnded) return;
    isOver = true;
    response.end();
  }

  // Heartbeats keep every other one from being silent for so long.
  response.setTimeout(timeoutMs, () => response.destroy());
  response.writeHead(200, protocol.headers);
  // Else they go with the first parts, which a reader who has some may wait for a while.
  if (from > 0) response.flushHeaders();
  const heartbeat = setInterval(() => {
    if (!isFull) response.write(protocol.heartbeat);
  }, promises.heartbeatMs);
  response.on('drain', () => {
    isFull = false;
    write();
  });
  response.once('close', () => {
    clearInterval(heartbeat);
    isOver = true;
    stream.detach(reader, response.writableFinished);
    resolve();
  });
  stream.attach(reader);
  // Gone before the first word: its `close` will not come again.
  if (response.closed) {
    clearInterval(heartbeat);
    stream.detach(reader, false);
    resolve();
  }
  return closed;
}

/** Reads an answer to its end; `false` where its reader is gone before that. */
export function readStream(
  stream: ReadableAnswer,
  onPart: (part: AnswerPart) => void,
  gone: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const reader = {
    position: 0,
    wake() {
      while (reader.position < stream.next) onPart(stream.part(reader.position++));
      stream.moved();
      if (stream.isEnded) resolve(true);
    },
  };
  gone.addEventListener('abort', () => {
    stream.detach(reader, false);
    resolve(false);
  });
  stream.attach(reader);
  if (gone.aborted) {
    stream.detach(reader, false);
    resolve(false);
  }
  return promise;
}
