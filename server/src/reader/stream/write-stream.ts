/** Writes an answer to one connection, as fast as the client reads. */
import type { ServerResponse } from 'node:http';
import type { AnswerPart } from '@docent/shared/stream';
import { beginStream, type BeginStreamOptions } from '../../platform/http/stream.ts';
import type { AnswerStream } from './answer-stream.ts';

/** The part of an answer stream that a reader uses. */
export type ReadableAnswer = Omit<
  AnswerStream,
  'kept' | 'wasDelivered' | 'beginGrace' | 'forget' | 'end' | 'done'
>;

/** How stream parts are written on the wire. */
export interface Protocol extends Pick<BeginStreamOptions, 'headers' | 'heartbeat'> {
  /** Encodes one part. Empty if the protocol has nothing for it. */
  encode(part: AnswerPart): string;
}

/** Maximum characters per write, so that a long answer doesn't become one string. */
const writeMax = 65_536;

/** Settles when the connection is closed, after the answer or before its end. */
export function writeStream(
  stream: ReadableAnswer,
  response: ServerResponse,
  protocol: Protocol,
  from = 0,
  timeoutMs?: number,
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
      // Wait for a slow client. The answer itself continues.
      if (text !== '' && !response.write(text)) {
        isFull = true;
        break;
      }
    }
    if (isFull || !stream.isEnded) return;
    isOver = true;
    response.end();
  }

  const { headers, heartbeat } = protocol;
  beginStream(response, { headers, heartbeat, timeoutMs });
  // Otherwise the headers go with the first new part, which may take a while.
  if (from > 0) response.flushHeaders();
  response.on('drain', () => {
    isFull = false;
    write();
  });
  response.once('close', () => {
    isOver = true;
    stream.detach(reader, response.writableFinished);
    resolve();
  });
  stream.attach(reader);
  // The client has already left, so `close` won't fire again.
  if (response.closed) {
    stream.detach(reader, false);
    resolve();
  }
  return closed;
}

/** Reads an answer to its end. Returns `false` if the client leaves before. */
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
