import { promises } from '@docent/shared/promises';
import type { AnswerPart } from '@docent/shared/stream';
import type { Response } from 'express';
import { toDocentError, toErrorBody } from '../http/error-handler.ts';
import type { Logger } from '../log.ts';
import { stoppingError } from './running-answers.ts';
import { encodeV2, v2Headers, v2Heartbeat } from './v2-stream.ts';

export interface WriteOptions {
  forSdk: boolean;
  requestId: string;
  /** Fires when the service will not wait for this answer any longer. */
  stopped: AbortSignal;
  log: Logger;
}

/** Sends an answer as it comes. There is no status any more, so a fault becomes an `error` part. */
export async function writeV2(
  stream: AsyncIterable<AnswerPart>,
  response: Response,
  { forSdk, requestId, stopped, log }: WriteOptions,
): Promise<void> {
  response.writeHead(200, v2Headers);
  const heartbeat = setInterval(() => response.write(v2Heartbeat), promises.heartbeatMs);
  let isTextOpen = false;
  try {
    for await (const part of stream) {
      if (response.destroyed) return;
      if (part.type === 'text-start') isTextOpen = true;
      if (part.type === 'text-end') isTextOpen = false;
      const hasRoom = response.write(encodeV2(part, forSdk));
      if (!hasRoom) await roomAgain(response);
    }
  } catch (error) {
    if (response.destroyed) return;
    const known = stopped.aborted ? stoppingError() : toDocentError(error);
    log.warn({ requestId, code: known.code, err: known.cause }, 'answer failed');
    if (isTextOpen) response.write(encodeV2({ type: 'text-end', id: '0' }, forSdk));
    const errorText = JSON.stringify(toErrorBody(known, requestId));
    response.write(encodeV2({ type: 'error', errorText }, forSdk));
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** Settles when the client has read on, or is gone. */
function roomAgain(response: Response): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
