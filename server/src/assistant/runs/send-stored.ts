/** An answer whose run is forgotten, from the conversation it is stored in, as the stream it once was. */
import type { ServerResponse } from 'node:http';
import type { AnswerPart } from '@docent/shared/stream';
import { DocentError } from '../../errors.ts';
import { toErrorBody } from '../../http/error-handler.ts';
import type { StoredAnswer } from '../threads.ts';
import type { Protocol } from './write-run.ts';

export function sendStored(stored: StoredAnswer, response: ServerResponse, v2: Protocol): void {
  response.setHeader('X-Thread-Id', stored.threadId);
  response.writeHead(200, v2.headers);
  response.end(
    toParts(stored)
      .map((part) => v2.encode(part))
      .join(''),
  );
}

function toParts(stored: StoredAnswer): AnswerPart[] {
  const { messageId, threadId, answer, outcome, isWhole, wasStopped } = stored;
  const messageMetadata = { threadId };
  const parts: AnswerPart[] = [
    { type: 'start', messageId, messageMetadata },
    { type: 'start-step' },
  ];
  // Without the quotations, which are not kept: a citation then lands on what of its section fits best.
  for (const { id, url, title } of stored.sources) {
    parts.push({ type: 'source-url', sourceId: id, url, title });
  }
  if (answer !== '') {
    parts.push({ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: answer });
    parts.push({ type: 'text-end', id: '0' });
  }
  if (isWhole) {
    if (outcome) parts.push({ type: 'data-answer', data: outcome });
    parts.push({ type: 'finish-step' }, { type: 'finish', messageMetadata });
  } else if (wasStopped) {
    parts.push({ type: 'message-metadata', messageMetadata: { threadId, ended: 'stopped' } });
    parts.push({ type: 'abort' });
  } else {
    const cut = new DocentError(
      'unavailable',
      'The answer was cut off on our side. Please ask again.',
    );
    parts.push({ type: 'error', errorText: JSON.stringify(toErrorBody(cut, messageId)) });
  }
  return parts;
}
